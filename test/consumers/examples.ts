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
import { npm } from '../../scripts/lib/run.mjs'

const workFolder = inProject('.cache/consumers/examples')

/** Every folder of `examples/`, but for `ai-elements`, whose components come from a server of their own. */
export const EXAMPLES: readonly string[] = readdirSync(inProject('examples')).filter(
  (name) => name !== 'ai-elements',
)

/**
 * Copies an example as a person would, installs it with the packed package in place of the published one, and builds
 * it if it has a build. Resolves to its folder.
 */
export async function prepareExample(name: string, tarball: string): Promise<string> {
  const folder = path.join(workFolder, name)
  mkdirSync(folder, { recursive: true })
  for (const entry of readdirSync(folder))
    if (!['node_modules', 'installed'].includes(entry))
      rmSync(path.join(folder, entry), { recursive: true })
  cpSync(inProject('examples', name), folder, { recursive: true })
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
  manifest.dependencies['offstage'] = `file:${tarball}`
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))

  const marker = path.join(folder, 'installed')
  const wanted = createHash('sha256')
    .update(JSON.stringify(manifest))
    .update(readFileSync(tarball))
    .digest('hex')
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== wanted) {
    rmSync(path.join(folder, 'node_modules/offstage'), { recursive: true, force: true })
    await npmIn(folder, [
      'install',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--loglevel=error',
    ])
    writeFileSync(marker, wanted)
  }
  if (manifest.scripts['build']) await npmIn(folder, ['run', 'build'])
  return folder
}

interface Manifest {
  readonly dependencies: Record<string, string>
  readonly scripts: Readonly<Record<string, string>>
}

async function npmIn(folder: string, args: readonly string[]): Promise<void> {
  const { code, output } = await npm(args, { cwd: folder, quiet: true })
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in ${folder}:\n${output}`)
}
