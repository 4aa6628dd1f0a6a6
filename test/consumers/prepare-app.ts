import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { tarballToTest } from '../../scripts/lib/pack.mjs'
import { inProject } from '../../scripts/lib/project.mjs'
import { npm } from '../../scripts/lib/run.mjs'

const workFolder = inProject('.cache/consumers')
/** The installed packages, and the files that record their lockfile and tarball. */
const KEPT = new Set(['node_modules', 'installed', 'packed'])
const sources = inProject('test/consumers/apps')

/**
 * The package as npm would publish it; resolves to the tarball's path. `into`: a folder of its own, for
 * specs that run beside each other.
 */
export async function packPackage(into = ''): Promise<string> {
  if (!existsSync(inProject('dist/index.js'))) throw new Error('dist is missing: npm run build')
  return tarballToTest(path.join(workFolder, into))
}

/**
 * A copy of the app with its own dependencies and the packed package installed; resolves to its
 * folder. Dependencies are kept while the app's lockfile stays the same, so that only the first run
 * downloads something; so is the package, while its tarball does. `as`: the folder's name, for specs that run beside each other.
 */
export async function prepareApp(name: string, tarball: string, as = name): Promise<string> {
  const folder = path.join(workFolder, as)
  const source = path.join(sources, name)
  mkdirSync(folder, { recursive: true })
  for (const entry of readdirSync(folder))
    if (!KEPT.has(entry)) rmSync(path.join(folder, entry), { recursive: true })
  cpSync(path.join(sources, 'shared'), path.join(folder, 'src'), { recursive: true })
  cpSync(source, folder, { recursive: true })

  const lock = hashOf(path.join(source, 'package-lock.json'))
  if (marked(folder, 'installed') !== lock) {
    await npmIn(folder, ['ci'])
    mark(folder, 'installed', lock)
  }
  const packed = `${lock} ${hashOf(tarball)}`
  if (marked(folder, 'packed') !== packed) {
    rmSync(path.join(folder, 'node_modules/offstage'), { recursive: true, force: true })
    await npmIn(folder, ['install', '--no-save', '--prefer-offline', tarball])
    mark(folder, 'packed', packed)
  }
  return folder
}

/** The version of a package that the app's lockfile names. */
export function lockedVersion(app: string, name: string): string {
  const lock = JSON.parse(readFileSync(path.join(sources, app, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>
  }
  const version = lock.packages[`node_modules/${name}`]?.version
  if (!version) throw new Error(`The lockfile of ${app} has no ${name}.`)
  return version
}

async function npmIn(folder: string, args: readonly string[]): Promise<void> {
  // A bundler that ran in this process may have left NODE_ENV=production, under which npm leaves out what is for development.
  const quietly = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const { code, output } = await npm([...args, ...quietly], { cwd: folder, quiet: true })
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in ${folder}:\n${output}`)
}

function marked(folder: string, name: string): string {
  const file = path.join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function mark(folder: string, name: string, value: string): void {
  writeFileSync(path.join(folder, name), value)
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
