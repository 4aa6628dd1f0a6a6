import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { npm } from '../../scripts/lib/run.mjs'
import { alone } from './alone.ts'

const INSTALLED_FROM = ['package.json', 'package-lock.json']

/**
 * Installs what tests need and the project's own dependencies leave out, and copies the files of the sources' `src`,
 * to a folder outside of the root. Test workers that ask at the same time wait for the first, and nothing is written
 * again until a source changes: another worker may be importing those files.
 */
export async function installAside(sources: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await alone(path.join(folder, 'preparing'), async () => {
    const hash = createHash('sha256')
    const copied = readdirSync(path.join(sources, 'src')).toSorted()
    const files = [...INSTALLED_FROM, ...copied.map((name) => path.join('src', name))]
    for (const name of files) hash.update(readFileSync(path.join(sources, name)))
    const from = hash.digest('hex')
    const marker = path.join(folder, 'installed')
    if (existsSync(marker) && readFileSync(marker, 'utf8') === from) return
    for (const name of files)
      cpSync(path.join(sources, name), path.join(folder, path.basename(name)))
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const { code, output } = await npm(args, { cwd: folder, quiet: true })
    if (code !== 0) throw new Error(`What ${sources} names can't be installed:\n${output}`)
    writeFileSync(marker, from)
  })
}
