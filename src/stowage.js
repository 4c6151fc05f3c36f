#!/usr/bin/env node
// A clone runs its TypeScript as it stands (no build step between an edit and its effect). The published package
// holds no sources, and an installation with `--omit=dev` has no tsx: both run what `npm run build` made.
import { existsSync } from 'node:fs'

const source = new URL('./cli.ts', import.meta.url)
const tsx = existsSync(source) ? await import('tsx/esm/api').catch(() => null) : null
if (tsx) {
  tsx.register()
  await import(source.href)
} else {
  await import(new URL('../dist/cli.js', import.meta.url).href)
}
