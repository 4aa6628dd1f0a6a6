import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packTarball } from '../../scripts/lib/pack.mjs'
import { inProject } from '../../scripts/lib/project.mjs'
import { npm } from '../../scripts/lib/run.mjs'

export type AppName = 'vite-8' | 'vite-7' | 'webpack-5' | 'static' | 'custom-provider'

const workFolder = inProject('.cache/consumers')
const sources = inProject('test/consumers/apps')

/** The package as npm would publish it; resolves to the tarball's path. */
export function packPackage(): Promise<string> {
  if (!existsSync(inProject('dist/index.js'))) throw new Error('dist is missing: npm run build')
  mkdirSync(workFolder, { recursive: true })
  return packTarball(workFolder)
}

/**
 * A copy of the app with its own dependencies and the packed package installed; resolves to its
 * folder. Dependencies are kept while the app's lockfile stays the same, so that only the first run
 * downloads something.
 */
export async function prepareApp(name: AppName, tarball: string): Promise<string> {
  const folder = path.join(workFolder, name)
  const source = path.join(sources, name)
  mkdirSync(folder, { recursive: true })
  cpSync(source, folder, { recursive: true })
  if (!existsSync(path.join(source, 'src'))) {
    cpSync(path.join(sources, 'shared'), path.join(folder, 'src'), { recursive: true })
    // webpack's default entry is src/index.js; the others follow it.
    cpSync(path.join(sources, 'shared/main.js'), path.join(folder, 'src/index.js'))
  }

  const marker = path.join(folder, 'installed')
  const lock = hashOf(path.join(source, 'package-lock.json'))
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== lock) {
    await npmIn(folder, ['ci'])
    writeFileSync(marker, lock)
  }
  rmSync(path.join(folder, 'node_modules/offstage'), { recursive: true, force: true })
  await npmIn(folder, ['install', '--no-save', '--prefer-offline', tarball])
  return folder
}

async function npmIn(folder: string, args: readonly string[]): Promise<void> {
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error']
  const { code, output } = await npm([...args, ...quietly], { cwd: folder, quiet: true })
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in ${folder}:\n${output}`)
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
