// Type-checks the ```ts blocks of README.md and docs/ against dist, and runs the ```ts runnable ones.
// What a block takes for granted can stand before it, unseen by readers:
//   <!-- snippet
//   declare const show: (text: string) => void
//   -->
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from './lib/project.mjs'
import { bin, run } from './lib/run.mjs'

// Inside the project, so that `import 'offstage'` means this package's own exports map.
const folder = inProject('.cache/snippets')
const BLOCK =
  /(?:<!-- snippet\n(?<before>[\s\S]*?)-->\s*)?^```ts(?<runnable> runnable)?\n(?<code>[\s\S]*?)^```$/gm

const snippets = documents().flatMap(snippetsOf)
prepareFolder()
for (const { name, code } of snippets) writeFileSync(path.join(folder, `${name}.ts`), code)

if (snippets.length > 0) {
  const { code } = await bin('typescript', ['-p', folder], { command: 'tsc' })
  if (code !== 0) process.exit(code)
}
const runnable = snippets.filter((snippet) => snippet.runnable)
for (const { name, place } of runnable) {
  const { code, output } = await run(process.execPath, [path.join(folder, 'out', `${name}.js`)], {
    quiet: true,
    timeout: 30_000,
  })
  if (code !== 0) {
    console.error(`${place} fails when it runs:\n${output}`)
    process.exit(1)
  }
}
console.log(`${snippets.length} snippets have the right types, ${runnable.length} of them ran.`)

function documents() {
  // Git keeps no empty folder.
  const docs = existsSync(inProject('docs'))
    ? readdirSync(inProject('docs'), { recursive: true, encoding: 'utf8' })
    : []
  return ['README.md', ...docs.map((file) => `docs/${file}`)].filter(
    (file) => file.endsWith('.md') && existsSync(inProject(file)),
  )
}

function snippetsOf(document) {
  const text = readFileSync(inProject(document), 'utf8').replaceAll('\r\n', '\n')
  return [...text.matchAll(BLOCK)].map(({ index, groups }) => {
    const line = text.slice(0, index).split('\n').length
    return {
      place: `${document}:${line}`,
      name: `${slug(document)}-${line}`,
      // `export {}` makes each block a module of its own.
      code: `${groups.before ?? ''}${groups.code}export {}\n`,
      runnable: Boolean(groups.runnable),
    }
  })
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
  }
  const config = { extends: inProject('tsconfig.json'), compilerOptions, include: ['*.ts'] }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
}
