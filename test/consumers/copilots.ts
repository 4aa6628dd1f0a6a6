import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { nextBuild } from './builders.ts'
import { NGC, TSC, VITE } from './panels.ts'
import { prepareApp } from './prepare-app.ts'
import { build, serveFolder, type ServedApp } from './serve-app.ts'

const GUIDE = 'docs/copilot.md'
/** The model in the guide, and the one that replaces it in tests. */
const MODEL = "{ provider: 'ollama', model: 'qwen3:4b' }"
const MOCK =
  "{ provider: 'openai-compatible', model: 'mock', baseURL: new URLSearchParams(location.search).get('model') ?? '' }"
const CDN = 'https://cdn.jsdelivr.net/npm/offstage@0.1.0/'

/** A copilot of the guide. */
export interface Copilot {
  readonly title: string
  readonly serve: (tarball: string) => Promise<ServedApp>
  /** The page's path. */
  readonly page: string
  /** The tool call that is made, and its output. */
  readonly call: { readonly tool: string; readonly input: object; readonly output: string }
  /** Part of `npm test`: its dependencies are installed there anyway. */
  readonly fast?: true
}

const ADD = { tool: 'add_item', input: { name: 'mug' }, output: 'mug is in the cart.' }
const TODAY = { tool: 'today', input: {}, output: String(new Date().getFullYear()) }

interface Built {
  /** The copilot's heading in the guide. */
  readonly heading: string
  readonly name: string
  /** The guide's code becomes this file. */
  readonly file: string
  readonly tsconfig?: string
}

const REACT: Built = { heading: 'React', name: 'react', file: 'react-copilot.tsx' }
const VUE: Built = { heading: 'Vue', name: 'vue', file: 'vue-copilot.vue' }
const SVELTE: Built = { heading: 'Svelte', name: 'svelte', file: 'svelte-copilot.svelte' }
const SOLID: Built = { heading: 'Solid', name: 'solid', file: 'solid-copilot.tsx' }
const HTML: Built = { heading: 'HTML', name: 'none', file: 'none.html' }

export const copilots: readonly Copilot[] = [
  { ...withVite('React 19', 'panels', { ...REACT, tsconfig: 'tsconfig.json' }), fast: true },
  withVite('Vue 3.5', 'panels', VUE),
  withVite('Svelte 5', 'panels', SVELTE),
  withVite('Solid 1', 'panels', { ...SOLID, tsconfig: 'tsconfig.solid.json' }),
  withVite('HTML', 'panels', HTML),
  withVite('React 18.0', 'lowest', REACT),
  withVite('Vue 3.4.0', 'lowest', VUE),
  withVite('Svelte 5.29.0', 'lowest', SVELTE),
  { title: 'Angular 22', serve: serveAngular, page: 'copilot/angular.html', call: ADD },
  { title: 'Next.js 16', serve: serveNext, page: '', call: ADD },
  { title: 'HTML, without a bundler', serve: serveStatic, page: 'copilot.html', call: TODAY },
]

function withVite(title: string, app: string, { heading, name, file, tsconfig }: Built): Copilot {
  const serve = async (tarball: string): Promise<ServedApp> => {
    const folder = await prepareApp(app, tarball)
    if (app !== 'panels')
      cpSync(inProject('test/consumers/apps/panels/copilot'), path.join(folder, 'copilot'), {
        recursive: true,
      })
    write(path.join(folder, 'copilot'), { 'agent.ts': agentCode(), [file]: codeOf(heading) })
    if (tsconfig) {
      const config = { extends: `../${tsconfig}`, files: [file] }
      write(path.join(folder, 'copilot'), { 'tsconfig.json': JSON.stringify(config) })
      await build(folder, [TSC, '-p', 'copilot'])
    }
    const mode = `copilot/${name}`
    await build(folder, [VITE, 'build', '--mode', mode])
    return serveFolder(path.join(folder, 'dist', mode))
  }
  return { title, serve, page: `copilot/${name}.html`, call: ADD }
}

async function serveAngular(tarball: string): Promise<ServedApp> {
  const folder = await prepareApp('panels-angular', tarball)
  const code = { 'agent.ts': agentCode(), 'angular-copilot.ts': codeOf('Angular') }
  write(path.join(folder, 'copilot'), code)
  await build(folder, [NGC, '-p', 'tsconfig.copilot.json'])
  await build(folder, [VITE, 'build', '--mode', 'copilot/angular'])
  return serveFolder(path.join(folder, 'dist/copilot/angular'))
}

async function serveNext(tarball: string): Promise<ServedApp> {
  const folder = await prepareApp('next-16', tarball, 'next-16-copilot')
  rmSync(path.join(folder, 'app/page.js'))
  // Nothing of them is TypeScript, which Next.js would install.
  write(path.join(folder, 'app'), {
    'agent.js': agentCode(),
    'copilot.js': codeOf('Next.js'),
    'page.js': codeOf('Next.js', 1),
  })
  return nextBuild('turbopack')(folder)
}

async function serveStatic(tarball: string): Promise<ServedApp> {
  const folder = await prepareApp('static', tarball, 'static-copilot')
  const page = codeOf('HTML, without a bundler').replaceAll(CDN, './node_modules/offstage/')
  write(folder, { 'copilot.html': page })
  return serveFolder(folder)
}

/** The code that all frameworks' copilots share. */
function agentCode(): string {
  return codeOf('# A copilot in ten lines')
}

/** A block of code under a heading of the guide, with the model that the page's address names. */
function codeOf(heading: string, at = 0): string {
  const guide = readFileSync(inProject(GUIDE), 'utf8').replaceAll('\r\n', '\n')
  const section = guide.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  const code = [...(section ?? '').matchAll(/^```\w+\n([^]*?)^```$/gm)][at]?.[1]
  if (code === undefined) throw new Error(`${GUIDE} has no code for ${heading} any more.`)
  return code.replace(MODEL, MOCK)
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
}
