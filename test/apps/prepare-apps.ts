import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { npm, run } from '../../scripts/lib/run.mjs'
import { alone } from './alone.ts'

const SOURCES = inProject('test/apps')
const FOLDER = inProject('.cache/page-apps')
const INSTALLED_FROM = ['package.json', 'package-lock.json']
const BUILT_FROM = [...INSTALLED_FROM, 'build.mjs', 'src']

/**
 * Installs the apps' dependencies outside the root and builds them, each only when something changed;
 * resolves to the folder with the pages. Test workers that ask at the same time wait for the first.
 */
export async function prepareApps(): Promise<string> {
  mkdirSync(FOLDER, { recursive: true })
  await alone(path.join(FOLDER, 'preparing'), async () => {
    await unlessDone('built', hashOf(BUILT_FROM), async () => {
      rmSync(path.join(FOLDER, 'src'), { recursive: true, force: true })
      for (const name of BUILT_FROM)
        cpSync(path.join(SOURCES, name), path.join(FOLDER, name), { recursive: true })
      await unlessDone('installed', hashOf(INSTALLED_FROM), async () => {
        const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
        fail(await npm(args, { cwd: FOLDER, quiet: true }))
      })
      fail(await run(process.execPath, ['build.mjs'], { cwd: FOLDER, quiet: true }))
    })
  })
  return path.join(FOLDER, 'out')
}

/** Remembers in a file from what something was made. */
async function unlessDone(name: string, from: string, make: () => Promise<void>): Promise<void> {
  const marker = path.join(FOLDER, name)
  if (existsSync(marker) && readFileSync(marker, 'utf8') === from) return
  await make()
  writeFileSync(marker, from)
}

function hashOf(names: readonly string[]): string {
  const hash = createHash('sha256')
  for (const name of names.flatMap(filesIn))
    hash.update(`${name}\0`).update(readFileSync(path.join(SOURCES, name)))
  return hash.digest('hex')
}

function filesIn(name: string): string[] {
  if (path.extname(name)) return [name]
  const inside = readdirSync(path.join(SOURCES, name)).toSorted()
  return inside.flatMap((one) => filesIn(path.join(name, one)))
}

function fail({ code, output }: { readonly code: number; readonly output: string }): void {
  if (code !== 0) throw new Error(`The apps can't be prepared:\n${output}`)
}
