import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, type UserConfig } from 'vite'
import { inProject } from '../../scripts/lib/project.mjs'

const FOLDER = inProject('test/bindings')
const OUT = inProject('.cache/bindings')

/**
 * An app of this folder in one file, for a page, with the framework's development build, which mounts twice in strict
 * mode. The package's other files stay where they are served.
 */
export async function bundleApp(name: string, plugins: Plugin[] = []): Promise<string> {
  return outputOf(name, { plugins: [packageIn('page'), ...plugins] })
}

/** The exports of a module of this folder on Node, as a server has them. */
export async function onServer(name: string, plugins: Plugin[] = []): Promise<unknown> {
  const code = await outputOf(name, {
    plugins: [packageIn('node'), ...plugins],
    build: { ssr: true },
  })
  mkdirSync(OUT, { recursive: true })
  const file = path.join(OUT, `${path.parse(name).name}-${process.pid}.mjs`)
  writeFileSync(file, code)
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

/** Where an app finds the package: a binding is part of the page's file, since it imports the framework. */
function packageIn(place: 'page' | 'node'): Plugin {
  return {
    name: 'offstage:package',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id.startsWith('/dist/')) return { id, external: 'absolute' }
      if (id === './chat.js' && importer?.includes('/dist/'))
        return { id: '/dist/chat.js', external: 'absolute' }
      if (id === 'offstage/conversation' && place === 'page')
        return { id: '/dist/conversation.js', external: 'absolute' }
      const [, binding] = /^offstage\/(react|vue|svelte)$/.exec(id) ?? []
      if (binding === undefined) return null
      const file = inProject(`dist/${binding}.js`)
      return place === 'page' ? file : { id: pathToFileURL(file).href, external: 'absolute' }
    },
  }
}

async function outputOf(name: string, config: UserConfig): Promise<string> {
  const outputs = await build({
    configFile: false,
    mode: 'development',
    root: FOLDER,
    logLevel: 'error',
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'true',
    },
    ...config,
    build: {
      ...config.build,
      write: false,
      target: 'es2023',
      minify: false,
      rolldownOptions: {
        input: path.join(FOLDER, name),
        output: { codeSplitting: false, format: 'es' },
      },
    },
  })
  const chunks = [outputs].flat().flatMap((result) => ('output' in result ? result.output : []))
  const [chunk] = chunks.filter((each) => each.type === 'chunk')
  if (!chunk) throw new Error('Nothing was bundled.')
  return chunk.code
}
