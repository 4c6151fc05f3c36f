import { type BuiltPage, readPage } from '../web/page-files.ts'

const PAGE = new URL('./page', import.meta.url)

/** The page to look at. @throws Error when it is not built and esbuild is not installed */
export function readUiPage(): Promise<BuiltPage> {
  return readPage(PAGE)
}
