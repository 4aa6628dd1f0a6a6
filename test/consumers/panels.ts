import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { prepareApp } from './prepare-app.ts'
import { build } from './serve-app.ts'

const GUIDE = 'docs/frameworks.md'
const SHARED = ['agent.ts', 'page.ts']
/** What the guide's snippets take for granted: readers see it at its top. */
const AGENT = "import { agent } from './agent'\n"

/** A panel of the guide. Built as `<name>.html`, in the folder that is served. */
export interface Panel {
  /** Its heading in the guide. */
  readonly title: string
  readonly name: string
  /** The guide's code is this file of the app's sources. */
  readonly file: string
  /** Installs hundreds of packages: part of `npm run test:consumers` only. */
  readonly slow?: true
}

export const panels: readonly Panel[] = [
  { title: 'React', name: 'react', file: 'react-panel.tsx' },
  { title: 'Vue', name: 'vue', file: 'vue-panel.vue' },
  { title: 'Svelte', name: 'svelte', file: 'svelte-panel.svelte' },
  { title: 'Solid', name: 'solid', file: 'solid-panel.tsx' },
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

/** Builds a panel with its framework's own tool; resolves to the folder with its page. */
export async function buildPanel({ title, name, file }: Panel, tarball: string): Promise<string> {
  const isAngular = name === 'angular'
  const folder = await prepareApp(isAngular ? 'panels-angular' : 'panels', tarball)
  const code = guideCode(title)
  writeFileSync(path.join(folder, 'src', file), code.includes(AGENT) ? code : AGENT + code)
  if (!isAngular) {
    await build(folder, ['node_modules/vite/bin/vite.js', 'build', '--mode', name])
    return path.join(folder, 'dist', name)
  }
  for (const shared of SHARED)
    cpSync(inProject('test/consumers/apps/panels/src', shared), path.join(folder, 'src', shared))
  await build(folder, ['node_modules/@angular/cli/bin/ng.js', 'build'])
  return path.join(folder, 'dist', name)
}
