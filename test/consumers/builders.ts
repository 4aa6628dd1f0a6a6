import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, serveFolder, startServer, type ServedApp } from './serve-app.ts'

type Serve = (folder: string) => Promise<ServedApp>

const VITE = 'node_modules/vite/bin/vite.js'
const WEBPACK = 'node_modules/webpack-cli/bin/cli.js'
const NEXT = 'node_modules/next/dist/bin/next'
const PARCEL = 'node_modules/parcel/lib/bin.js'
const HOST = '127.0.0.1'

const at = (port: string): readonly string[] => ['--host', HOST, '--port', port]

/** `--force`: without a cache of pre-bundled dependencies. */
export const viteDev: Serve = (folder) =>
  startServer(folder, (port) => [VITE, '--strictPort', '--force', ...at(port)])

/** With what the documentation says against pre-bundling. */
export const viteDevExcluding: Serve = (folder) => {
  const config = "export default { optimizeDeps: { exclude: ['offstage'] } }\n"
  writeFileSync(path.join(folder, 'vite.config.js'), config)
  return viteDev(folder)
}

export const viteBuild: Serve = built([VITE, 'build'], 'dist')

export const svelteKitBuild: Serve = built([VITE, 'build'], 'build')

export const webpackBuild: Serve = async (folder) => {
  const output = await build(folder, [WEBPACK, '--mode=production'])
  return serveFolder(folder, { script: './dist/main.js', output })
}

export const webpackDev: Serve = (folder) =>
  startServer(folder, (port) => [WEBPACK, 'serve', '--mode=development', ...at(port)])

export const rspackBuild: Serve = async (folder) => {
  const output = await build(folder, ['node_modules/@rspack/cli/bin/rspack.js', 'build'])
  return serveFolder(folder, { script: './dist/main.js', output })
}

export const rsbuildBuild: Serve = built(
  ['node_modules/@rsbuild/core/bin/rsbuild.js', 'build'],
  'dist',
)

export const parcelBuild: Serve = built([PARCEL, 'build', 'index.html', '--no-cache'], 'dist')

export const parcelDev: Serve = (folder) =>
  startServer(folder, (port) => [PARCEL, 'serve', 'index.html', '--no-cache', ...at(port)])

/** Rollup leaves the worker's address as it is: the file is copied beside the bundle, or inlined. */
export const rollupBuild =
  ({ copyWorker }: { readonly copyWorker: boolean }): Serve =>
  async (folder) => {
    const plugins = ['--plugin', 'node-resolve', '--dir', 'dist']
    const rollup = ['node_modules/rollup/dist/bin/rollup', 'src/index.js', ...plugins]
    const output = await build(folder, rollup)
    if (copyWorker) copyWorkerTo(folder)
    return serveFolder(folder, { script: './dist/index.js', output })
  }

interface EsbuildOptions {
  /** The format's name in `build.mjs` of the app. */
  readonly format: 'esm' | 'split' | 'iife'
  /** Default: `src/index.js`. */
  readonly entry?: string
  readonly copyWorker: boolean
}

export const esbuildBuild =
  ({ format, entry = 'src/index.js', copyWorker }: EsbuildOptions): Serve =>
  async (folder) => {
    const output = await build(folder, ['build.mjs', entry, format])
    if (copyWorker) copyWorkerTo(folder)
    const script = format === 'iife' ? '<script src="./dist/index.js"></script>' : './dist/index.js'
    return serveFolder(folder, { script, output })
  }

export const nextBuild =
  (bundler: 'turbopack' | 'webpack'): Serve =>
  async (folder) => {
    const output = await build(folder, [NEXT, 'build', `--${bundler}`])
    const served = await startServer(folder, (port) => [NEXT, 'start', '-H', HOST, '-p', port])
    return { ...served, output: () => output + served.output() }
  }

function built(command: readonly string[], into: string): Serve {
  return async (folder) => {
    const output = await build(folder, command)
    return serveFolder(path.join(folder, into), { output })
  }
}

function copyWorkerTo(folder: string): void {
  for (const file of ['worker.js', 'worker-action.js'])
    cpSync(path.join(folder, 'node_modules/offstage/dist', file), path.join(folder, 'dist', file))
}
