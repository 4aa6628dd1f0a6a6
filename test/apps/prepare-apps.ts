import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { npm, run } from '../../scripts/lib/run.mjs'

const SOURCES = inProject('test/apps')
const FOLDER = inProject('.cache/page-apps')
const BUILT_FROM = ['build.mjs', 'package.json', 'package-lock.json', 'src']

/**
 * Installs the apps' dependencies outside the root and builds them, each only when something changed;
 * resolves to the folder with the pages.
 */
export async function prepareApps(): Promise<string> {
  mkdirSync(FOLDER, { recursive: true })
  for (const name of BUILT_FROM)
    cpSync(path.join(SOURCES, name), path.join(FOLDER, name), { recursive: true })
  const lock = createHash('sha256')
    .update(readFileSync(path.join(FOLDER, 'package-lock.json')))
    .digest('hex')
  const marker = path.join(FOLDER, 'installed')
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== lock) {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    fail(await npm(args, { cwd: FOLDER, quiet: true }))
    writeFileSync(marker, lock)
  }
  fail(await run(process.execPath, ['build.mjs'], { cwd: FOLDER, quiet: true }))
  return path.join(FOLDER, 'out')
}

function fail({ code, output }: { readonly code: number; readonly output: string }): void {
  if (code !== 0) throw new Error(`The apps can't be prepared:\n${output}`)
}
