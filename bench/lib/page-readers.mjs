import { existsSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'vite'
import { inProject } from '../../scripts/lib/project.mjs'

const peers = inProject('bench/peers')

const readers = [
  { name: 'offstage', entry: inProject('bench/lib/read-offstage.js') },
  peer('page-agent', '@page-agent/page-controller'),
  peer('agentpage', 'agentpage'),
]

function peer(name, packageName) {
  const folder = path.join(peers, 'node_modules', packageName)
  return { name, entry: path.join(peers, `read-${name}.js`), folder }
}

/**
 * The readers of pages that are compared, each with a script that exposes it to a page as
 * `pageReader`; without a script, and with the reason, those that can't be.
 */
export async function pageReaders() {
  const outDir = await mkdtemp(path.join(tmpdir(), 'offstage-bench-'))
  return Promise.all(readers.map((reader) => prepare(reader, outDir)))
}

async function prepare({ name, entry, folder }, outDir) {
  if (folder && !existsSync(folder))
    return { name, reason: 'not installed: run `npm ci --ignore-scripts` in bench/peers' }
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2023',
      lib: { entry, formats: ['iife'], name: 'bench', fileName: () => `${name}.js` },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const script = await readFile(path.join(outDir, `${name}.js`), 'utf8')
  if (!folder) return { name, script }
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'))
  return { name, version, script }
}
