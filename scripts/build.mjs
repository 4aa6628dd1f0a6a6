// Builds `dist`: node scripts/build.mjs [--if-needed | --demo]
// --demo: only what the demo imports, without types, unless `dist` is up to date.
import {
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { build } from 'vite'
import { inputHash, isBuilt, removeStamp, writeStamp } from './lib/build-stamp.mjs'
import { bundledPackages } from './lib/bundled-packages.mjs'
import { importGraph } from './lib/import-graph.mjs'
import { fail } from './lib/install.mjs'
import { licenseTexts } from './lib/licenses.mjs'
import { firstNodeName } from './lib/node-names.mjs'
import { ownFolder } from './lib/own-folder.mjs'
import { inProject, manifest, readJson } from './lib/project.mjs'
import { bin } from './lib/run.mjs'
import { SBOM_FILE, sbomOf } from './lib/sbom.mjs'
import { pruneTypes } from './lib/type-graph.mjs'

const started = performance.now()
const DEMO_MODES = 'worker worker-action worker-whole page inline library chat inspector'.split(' ')
const OTHER_MODES = 'mcp server relay mock ajv chat-parts copilot react vue svelte global'.split(
  ' ',
)
const isForDemo = process.argv.includes('--demo')
const sources = inputHash()
// Another build finds that this one isn't whole.
const hash = isForDemo ? `demo ${sources}` : sources
if (!isForDemo && !process.argv.includes('--if-needed')) removeStamp()
else if (isBuilt(sources) || isBuilt(hash)) process.exit(0)

// Built here and moved at the end: a failed build leaves the last good one alone.
const staging = path.join(ownFolder('build'), 'dist')
const [modules] = await Promise.all([bundleAll(), isForDemo ? null : emitTypes()]).catch((error) =>
  fail(error.message),
)
cpSync(inProject('src/ui/chat/themes'), path.join(staging, 'themes'), { recursive: true })
if (!isForDemo) completeAndCheck()
moveToDist()
console.log(`Built dist in ${Math.round(performance.now() - started)} ms.`)

function completeAndCheck() {
  writeNotices(bundledPackages(modules))
  copyFileSync(
    inProject('src/connect/tools-from/agent.schema.json'),
    path.join(staging, 'agent.schema.json'),
  )
  checkWorkerLiteral()
  checkTypesStandAlone()
  checkNoNodeNames()
}

/** Unless another run has built the same meanwhile: somebody may be reading that already. */
function moveToDist() {
  if (isBuilt(hash)) return
  const dist = inProject('dist')
  rmSync(dist, { recursive: true, force: true })
  try {
    renameSync(staging, dist)
  } catch (error) {
    // Or has moved its own there just now.
    if (existsSync(dist)) return
    throw error
  }
  writeStamp(hash)
}

/** All modules that ended up in a bundle, as `{ id, build, bytes }`. */
async function bundleAll() {
  const modules = []
  // The worker comes first: the inline entry and the global script hold its text.
  for (const mode of isForDemo ? DEMO_MODES : [...DEMO_MODES, ...OTHER_MODES]) {
    const outputs = await build({
      configFile: inProject('vite.config.ts'),
      mode,
      build: { outDir: staging },
    })
    for (const chunk of [outputs].flat().flatMap(({ output }) => output)) {
      for (const [id, { renderedLength }] of Object.entries(chunk.modules ?? {})) {
        modules.push({ id, build: mode, bytes: renderedLength })
      }
    }
  }
  // Only the inline worker's text is made of it.
  rmSync(path.join(staging, 'worker-whole.js'))
  return modules
}

/** Writes the licences of bundled packages, and the list of these packages (SBOM). */
function writeNotices(packages) {
  writeFileSync(path.join(staging, 'THIRD-PARTY-LICENSES.txt'), licenseTexts(packages))
  const sbom = sbomOf(manifest(), packages, readJson('package-lock.json'))
  writeFileSync(path.join(staging, path.basename(SBOM_FILE)), `${JSON.stringify(sbom, null, 2)}\n`)
}

async function emitTypes() {
  const outDir = path.join(staging, 'types')
  const { code } = await bin('typescript', ['-p', 'tsconfig.build.json', '--outDir', outDir], {
    command: 'tsc',
  })
  if (code !== 0) throw new Error('The sources have type errors; nothing was built.')
}

/** Consumers' bundlers find the worker by this expression only. */
function checkWorkerLiteral() {
  const literal = 'new Worker(new URL("./worker.js",import.meta.url),{type:"module"})'
  const page = [...importGraph('index.js', { folder: staging, dynamic: true })]
  const found = page.some((file) =>
    readFileSync(path.join(staging, file), 'utf8').includes(literal),
  )
  if (!found) fail('The page entry lost the expression by which bundlers find the worker.')
}

/** Consumers install nothing beside the package, so its types may import nothing else either. */
function checkTypesStandAlone() {
  const foreign = pruneTypes(path.join(staging, 'types'))
  if (foreign) fail(`The types of ${foreign.file} import '${foreign.specifier}', which users lack.`)
}

/** A page has none of Node's globals, and a mention makes bundlers put a polyfill into it. */
function checkNoNodeNames() {
  const found = firstNodeName(staging)
  if (found) fail(`${found.file} refers to Node's ${found.name}; see scripts/lib/vite-plugins.ts.`)
}
