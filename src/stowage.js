#!/usr/bin/env node
// A clone runs its TypeScript as it stands (no build step between an edit and its effect);
// the published package holds no sources and runs what `npm run build` made.
import { existsSync } from 'node:fs'

const source = new URL('./cli.ts', import.meta.url)
if (existsSync(source)) {
  const { register } = await import('tsx/esm/api')
  register()
  await import(source.href)
} else {
  await import(new URL('../dist/cli.js', import.meta.url).href)
}
