import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, createServer, preview } from 'vite'
import { hashOf } from '../../../scripts/lib/build-stamp.mjs'
import { inProject } from '../../../scripts/lib/project.mjs'
import { alone } from '../../apps/alone.ts'

export interface ServedDemo {
  readonly url: string
  close(): Promise<void>
}

const configFile = inProject('vite.demo.config.ts')
const FOLDER = inProject('.cache/demo-test')
const BUILT_FROM = ['demo', 'dist', 'docs/theming.md', 'package.json', 'vite.demo.config.ts']

/** Serves the demo as `npm start` does. */
export async function startDemo(workerIndex: number): Promise<ServedDemo> {
  const server = await createServer({
    configFile,
    cacheDir: inProject(`.cache/vite-demo-test-${workerIndex}`),
    logLevel: 'error',
    server: { port: 5800 + workerIndex, hmr: false, watch: null },
  })
  await server.listen()
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() }
}

/** Serves the demo as it is built. */
export async function serveBuiltDemo(): Promise<ServedDemo> {
  const server = await preview({
    configFile,
    logLevel: 'error',
    build: { outDir: await buildDemo() },
    preview: { port: 5850, strictPort: false },
  })
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() }
}

/** Builds the demo when something of it has changed, and resolves to its folder. Test workers wait for the first. */
async function buildDemo(): Promise<string> {
  mkdirSync(FOLDER, { recursive: true })
  const outDir = path.join(FOLDER, 'out')
  const stamp = path.join(FOLDER, 'built-from')
  await alone(path.join(FOLDER, 'building'), async () => {
    const hash = hashOf(BUILT_FROM)
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
    await build({ configFile, logLevel: 'error', build: { outDir } })
    writeFileSync(stamp, hash)
  })
  return outDir
}
