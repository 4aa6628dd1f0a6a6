import { isServed } from '../model/presets.ts'
import { mainFile } from './main-file.ts'
import type { ProjectFile, ProjectSetup } from './project-setup.ts'

/** Modules of both apps, as they are. */
const shared = import.meta.glob<string>(
  [
    '../app.ts',
    '../agent/demo-agent.ts',
    '../lib/{browser-network,dom,format,keyed-list,stored,wait}.ts',
    '../model/{outcome,script}.ts',
    '../tools/edit-tools.ts',
    '../styles/{base,project}.css',
  ],
  { query: '?raw', import: 'default' },
)
const apps = {
  shop: import.meta.glob<string>(['../shop/*.ts', '../styles/{shop,slip}.css'], {
    query: '?raw',
    import: 'default',
  }),
  ledger: import.meta.glob<string>(['../ledger/*.ts', '../styles/ledger.css'], {
    query: '?raw',
    import: 'default',
  }),
}
/** The rest is that of the example for plain TypeScript. */
const example = import.meta.glob<string>('../../examples/vanilla/{package,tsconfig}.json', {
  query: '?raw',
  import: 'default',
})

/** Returns the files of a Vite app with the app, its tools and its model. Keys are never among them. */
export async function projectFiles(setup: ProjectSetup): Promise<readonly ProjectFile[]> {
  const modules = await loadAll({ ...shared, ...apps[setup.app] })
  const examples = await loadAll(example)
  const page = (await import('../index.html?raw')).default
  const files = [
    ...modules.map(({ path, text }) => ({ path: path.replace('../', 'src/'), text })),
    ...examples.map(({ path, text }) => exampleFile(path.split('/').at(-1) ?? path, text, setup)),
    { path: 'index.html', text: pageFile(page, setup, modules) },
    { path: 'src/main.ts', text: mainFile(setup, !isServed(setup.model.provider)) },
    { path: 'README.md', text: readme(setup) },
    { path: '.gitignore', text: 'node_modules\ndist\n.env*\n' },
  ]
  return files.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1))
}

async function loadAll(
  loaders: Readonly<Record<string, () => Promise<string>>>,
): Promise<readonly ProjectFile[]> {
  const entries = Object.entries(loaders)
  return Promise.all(entries.map(async ([path, load]) => ({ path, text: await load() })))
}

/** Place of a file in the list: readers open the first ones first. */
function rank({ path }: ProjectFile): number {
  const firstPaths = ['README.md', 'src/main.ts', 'index.html']
  const index = firstPaths.indexOf(path)
  if (index >= 0) return index
  return path.endsWith('-tools.ts') ? firstPaths.length : firstPaths.length + 1
}

function exampleFile(name: string, text: string, { app }: ProjectSetup): ProjectFile {
  const value = JSON.parse(text)
  const changed =
    name === 'package.json'
      ? { ...value, name: `offstage-${app}` }
      : {
          ...value,
          compilerOptions: {
            ...value.compilerOptions,
            // Modules import one another by their files' names.
            allowImportingTsExtensions: true,
          },
        }
  return { path: name, text: `${JSON.stringify(changed, null, 2)}\n` }
}

/** The app's part of this page, with the chat beside it. */
function pageFile(
  page: string,
  { app, title }: ProjectSetup,
  modules: readonly ProjectFile[],
): string {
  const main = page.match(new RegExp(`<main id="${app}"[^]*?</main>`))?.[0] ?? ''
  const styles = modules.flatMap(({ path }) => path.match(/styles\/.*\.css$/) ?? [])
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
${styles
  .toSorted((stylePath) => (stylePath.endsWith('base.css') ? -1 : 0))
  .map((path) => `    <link rel="stylesheet" href="/src/${path}" />`)
  .join('\n')}
  </head>
  <body>
    ${main.replace(' hidden>', '>')}
    <offstage-chat id="chat"></offstage-chat>
    <script type="module" src="/src/main.ts"></script>
  </body>
</html>
`
}

function readme({ app, title }: ProjectSetup): string {
  return `# ${title}, with Offstage

\`\`\`sh
npm install
npm run dev
\`\`\`

- \`src/main.ts\` connects the model and the chat.
- \`src/${app}/${app}-tools.ts\` has the agent's tools, and \`src/${app}/${app}-app.ts\` its instructions.
- \`src/agent/demo-agent.ts\` creates the agent.
`
}
