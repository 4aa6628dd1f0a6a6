import path from 'node:path'
import { build } from 'vite'
import { PACKAGES, preparePackages } from '../../ai-sdk/prepare-packages.ts'
import { manifest } from '../../../scripts/lib/project.mjs'

const INPUT = 'bundled-input.jsx'

/**
 * A page's or a worker's own code with all that it imports, in one file, as an app's bundler makes it: packages are those
 * of test/ai-sdk, `offstage` is loaded as it was built.
 */
export async function bundle(code: string): Promise<string> {
  await preparePackages()
  const input = path.join(PACKAGES, INPUT)
  const outputs = await build({
    configFile: false,
    root: PACKAGES,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { alias: builtEntries() },
    plugins: [
      {
        name: 'offstage:input',
        enforce: 'pre',
        resolveId: (id) => (path.basename(id) === INPUT ? input : null),
        load: (id) => (id === input ? code : null),
      },
    ],
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      rolldownOptions: {
        input,
        external: /^\/dist\//,
        output: { codeSplitting: false, format: 'es' },
      },
    },
  })
  const chunks = [outputs].flat().flatMap((result) => ('output' in result ? result.output : []))
  const [chunk] = chunks.filter((each) => each.type === 'chunk')
  if (!chunk) throw new Error('Nothing was bundled.')
  return chunk.code
}

/** The package's entries by the names that apps import, where tests serve them. */
function builtEntries(): { find: RegExp; replacement: string }[] {
  const { exports } = manifest() as {
    exports: { readonly [entry: string]: { readonly default?: string } | string }
  }
  return Object.entries(exports).flatMap(([entry, target]) => {
    if (typeof target === 'string' || target.default === undefined) return []
    const name = path.posix.join('offstage', entry)
    const replacement = target.default.replace('./', '/')
    return [{ find: new RegExp(`^${name.replaceAll('.', '\\.')}$`), replacement }]
  })
}
