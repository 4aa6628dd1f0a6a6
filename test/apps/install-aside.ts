import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { npm } from '../../scripts/lib/run.mjs'
import { alone } from './alone.ts'

const INSTALLED_FROM = ['package.json', 'package-lock.json']

/**
 * Installs what tests need and the project's own dependencies leave out, in a folder outside of the root, only when
 * something changed, and puts the sources' `src` there. Test workers that ask at the same time wait for the first.
 */
export async function installAside(sources: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await alone(path.join(folder, 'preparing'), async () => {
    const hash = createHash('sha256')
    for (const name of INSTALLED_FROM) hash.update(readFileSync(path.join(sources, name)))
    const from = hash.digest('hex')
    const marker = path.join(folder, 'installed')
    if (!existsSync(marker) || readFileSync(marker, 'utf8') !== from) {
      for (const name of INSTALLED_FROM) cpSync(path.join(sources, name), path.join(folder, name))
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
      const { code, output } = await npm(args, { cwd: folder, quiet: true })
      if (code !== 0) throw new Error(`What ${sources} names can't be installed:\n${output}`)
      writeFileSync(marker, from)
    }
    cpSync(path.join(sources, 'src'), folder, { recursive: true })
  })
}
