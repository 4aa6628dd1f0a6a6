import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'
import { fail } from '../../scripts/lib/install.mjs'
import { inProject, manifest } from '../../scripts/lib/project.mjs'

const FOLDER = inProject('bench/peers')

/**
 * The libraries that run the same conversations in a page, in the order of the tables. The floor is what a page needs at
 * least: `fetch`, eventsource-parser, `JSON.parse` and a loop.
 *
 * @type {readonly { name: string, script: string, packageName?: string, options?: object }[]}
 */
export const LIBRARIES = [
  { name: 'floor', script: 'run-floor.js', packageName: 'eventsource-parser' },
  { name: 'Offstage, in memory', script: 'run-offstage.js', options: { storage: 'memory' } },
  { name: 'Offstage, durable', script: 'run-offstage.js', options: { storage: { name: 'bench' } } },
  { name: 'xsai', script: 'run-xsai.js', packageName: '@xsai/stream-text' },
  { name: 'openai-agents', script: 'run-openai-agents.js', packageName: '@openai/agents' },
  { name: 'ai', script: 'run-ai.js', packageName: 'ai' },
  { name: 'ai, UI messages', script: 'run-ai-ui.js', packageName: 'ai' },
]

/** Bundles each for production into `outDir`. Offstage stays as its package has it. */
export async function bundleLibraries(outDir) {
  const scripts = new Set(LIBRARIES.map(({ script }) => script))
  for (const script of [...scripts, '../lib/peer-runner.js']) {
    await build({
      configFile: false,
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}' },
      build: {
        outDir,
        emptyOutDir: false,
        target: 'es2023',
        minify: true,
        lib: {
          entry: path.join(FOLDER, script),
          formats: ['es'],
          fileName: () => path.basename(script),
        },
        rolldownOptions: { external: /^\/dist\//, output: { codeSplitting: false } },
      },
    })
  }
}

/** `xsai 0.4.4`, … of all that are compared, Offstage first. Ends the process where one isn't installed. */
export function libraryVersions(others = []) {
  const names = LIBRARIES.flatMap(({ packageName = [] }) => packageName)
  return [
    `offstage ${manifest().version}`,
    ...new Set([...names, ...others].map((name) => `${name} ${versionOf(name)}`)),
  ]
}

function versionOf(name) {
  const file = path.join(FOLDER, 'node_modules', name, 'package.json')
  if (!existsSync(file))
    fail(`${name} is not installed: run \`npm ci --ignore-scripts\` in bench/peers.`)
  return JSON.parse(readFileSync(file, 'utf8')).version
}
