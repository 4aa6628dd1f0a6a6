// Type-checks the ```ts blocks of README.md, SKILL.md and docs/ against dist, and runs the ```ts runnable ones. Of the
// components in SKILL.md and the pages of bindings, what is TypeScript is checked in the same way, and each is compiled by
// its framework.
// What a block takes for granted can stand before it, unseen by readers:
//   <!-- snippet
//   declare const show: (text: string) => void
//   -->
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compile } from 'svelte/compiler'
import { compileScript, compileTemplate, parse } from 'vue/compiler-sfc'
import { filesBelow, inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

// Inside the project, so that `import 'offstage'` means this package's own exports map.
const folder = inProject('.cache/snippets')
const BLOCK =
  /(?:<!-- snippet\n(?<before>[\s\S]*?)-->\s*)?^```(?<kind>ts|tsx|vue|svelte)(?<runnable> runnable)?\n(?<code>[\s\S]*?)^```$/gm
/**
 * Pages with self-contained components. frameworks.md isn't among them: its components are built and used as panels.
 */
const BINDINGS = ['docs/react.md', 'docs/vue.md', 'docs/svelte.md', 'SKILL.md']

/** Types of other components, which each framework's own compiler knows exactly, and of SKILL.md's agent. */
const COMPONENTS = `
declare module '*.vue' { const component: import('vue').Component; export default component }
declare module '*.svelte' { const component: import('svelte').Component<Record<string, unknown>>; export default component }
declare module '*/agent' { export const create: () => import('offstage').Agent }
`

const snippets = documents().flatMap(snippetsOf)
prepareFolder()
for (const { file, code } of snippets) writeFileSync(path.join(folder, file), code)

if (snippets.length > 0) {
  const { code } = await bin('typescript', ['-p', folder], { command: 'tsc' })
  if (code !== 0) process.exit(code)
}
const runnable = snippets.filter((snippet) => snippet.runnable)
for (const { name, place } of runnable) {
  const { code, output } = await run(process.execPath, [path.join(folder, 'out', `${name}.js`)], {
    quiet: true,
    timeout: 30_000,
    // A snippet records a run, which it refuses in CI.
    env: { ...process.env, CI: '' },
  })
  if (code !== 0) {
    console.error(`${place} fails when it runs:\n${output}`)
    process.exit(1)
  }
}
console.log(`${snippets.length} snippets have the right types, ${runnable.length} of them ran.`)

function documents() {
  const docs = filesBelow(inProject('docs')).map((file) => `docs/${file}`)
  return ['README.md', 'SKILL.md', ...docs].filter((file) => file.endsWith('.md'))
}

function snippetsOf(document) {
  const text = readFileSync(inProject(document), 'utf8').replaceAll('\r\n', '\n')
  const blocks = [...text.matchAll(BLOCK)].filter(
    ({ groups }) => groups.kind === 'ts' || BINDINGS.includes(document),
  )
  return blocks.map(({ index, groups: { before = '', kind, runnable, code } }) => {
    const line = text.slice(0, index).split('\n').length
    const place = `${document}:${line}`
    const name = `${slug(document)}-${line}`
    return {
      place,
      name,
      file: `${name}.${kind === 'tsx' ? 'tsx' : 'ts'}`,
      // `export {}` makes each block a module of its own.
      code: `${before}${scriptOf(kind, code, place)}export {}\n`,
      runnable: Boolean(runnable),
    }
  })
}

/** The TypeScript of a block. Throws if a component's template can't be compiled. */
function scriptOf(kind, code, place) {
  if (kind !== 'vue' && kind !== 'svelte') return code
  const [, script = ''] = /<script[^>]*>\n([\s\S]*?)<\/script>/.exec(code) ?? []
  const problems = kind === 'vue' ? problemsInVue(code) : problemsInSvelte(code)
  if (problems.length === 0) return script
  console.error(`${place} can't be compiled:\n${problems.join('\n')}`)
  process.exit(1)
}

function problemsInVue(code) {
  const { descriptor, errors } = parse(code)
  if (errors.length > 0) return errors
  const { bindings } = compileScript(descriptor, { id: 'docs' })
  if (!descriptor.template) return []
  const compilerOptions = { bindingMetadata: bindings, expressionPlugins: ['typescript'] }
  const { content: source } = descriptor.template
  return compileTemplate({ source, filename: 'docs.vue', id: 'docs', compilerOptions }).errors
}

function problemsInSvelte(code) {
  const { warnings } = compile(code, { generate: 'client', runes: true })
  return warnings.map(({ message }) => message)
}

function slug(document) {
  return document.replaceAll(/\W+/g, '-')
}

function prepareFolder() {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const compilerOptions = {
    noEmit: false,
    outDir: 'out',
    rootDir: '.',
    isolatedDeclarations: false,
    declaration: false,
    // A reader's snippet may name things it doesn't use.
    noUnusedLocals: false,
    noUnusedParameters: false,
    jsx: 'react-jsx',
    types: ['node', 'svelte'],
  }
  const config = {
    extends: inProject('tsconfig.json'),
    compilerOptions,
    include: ['*.ts', '*.tsx'],
  }
  writeFileSync(path.join(folder, 'components.d.ts'), COMPONENTS)
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
}
