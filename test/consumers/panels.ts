import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { prepareApp } from './prepare-app.ts'
import { build } from './serve-app.ts'

const GUIDE = 'docs/frameworks.md'
/** Files of the app `panels` that the Angular app shares. */
const SHARED = ['agent.ts', 'page.ts']
/** Import that the guide's panel without a framework leaves out. */
const AGENT = "import { agent } from './agent'\n"
export const TSC = inProject('node_modules/typescript/bin/tsc')
export const NGC = 'node_modules/@angular/compiler-cli/bundles/src/bin/ngc.js'
export const VITE = 'node_modules/vite/bin/vite.js'

/** A panel of the guide. */
export interface Panel {
  /** The panel's heading in the guide. */
  readonly title: string
  /** The page's name, without `.html`. */
  readonly name: string
  /** The guide's code becomes this file of the app's sources. */
  readonly file: string
  /** Checks the types, if the panel's builder doesn't. */
  readonly tsconfig?: string
  /** Needs another install, of 130 MB: part of `npm run test:consumers` only. */
  readonly slow?: true
}

export const panels: readonly Panel[] = [
  { title: 'React', name: 'react', file: 'react-panel.tsx', tsconfig: 'tsconfig.json' },
  { title: 'Vue', name: 'vue', file: 'vue-panel.vue' },
  { title: 'Svelte', name: 'svelte', file: 'svelte-panel.svelte' },
  { title: 'Solid', name: 'solid', file: 'solid-panel.tsx', tsconfig: 'tsconfig.solid.json' },
  { title: 'Angular', name: 'angular', file: 'angular-panel.ts', slow: true },
  { title: 'None', name: 'none', file: 'none-panel.ts' },
]

/** The code of a panel, as it stands in the guide. */
export function guideCode(title: string): string {
  const guide = readFileSync(inProject(GUIDE), 'utf8').replaceAll('\r\n', '\n')
  const code = new RegExp(`^## ${title}\n[^]*?^\`\`\`\\w+\n([^]*?)^\`\`\`$`, 'm').exec(guide)?.[1]
  if (code === undefined) throw new Error(`${GUIDE} has no panel for ${title} any more.`)
  return code
}

/** Builds a panel with its framework's own compiler; resolves to the folder with its page. */
export async function buildPanel(panel: Panel, tarball: string): Promise<string> {
  const { title, name, file, tsconfig } = panel
  const isAngular = name === 'angular'
  const folder = await prepareApp(isAngular ? 'panels-angular' : 'panels', tarball)
  const sources = path.join(folder, 'src')
  const code = guideCode(title)
  writeFileSync(path.join(sources, file), code.includes(AGENT) ? code : AGENT + code)
  if (isAngular) {
    for (const shared of SHARED)
      cpSync(inProject('test/consumers/apps/panels/src', shared), path.join(sources, shared))
    await build(folder, [NGC])
  }
  if (tsconfig) await build(folder, [TSC, '-p', tsconfig])
  await build(folder, [VITE, 'build', '--mode', name])
  return path.join(folder, 'dist', name)
}
