import type { DrivenPage } from './support/driven-page.ts'
import { openExample } from './support/example-page.ts'
import { expect, test } from './support/page-apps.ts'
import { inSlice } from './support/more.ts'

// Apps and components that nobody here wrote: none of their texts is one that no eye sees.

const APPS = [
  'angular-todo',
  'antd',
  'antd-data',
  'bootstrap',
  'editor',
  'editors',
  'element-plus',
  'headless',
  'jquery-widgets',
  'lexical',
  'lit-todo',
  'mui',
  'mui-x',
  'popular',
  'radix',
  'radix-more',
  'react-aria',
  'react-todo',
  'shoelace',
  'svelte-todo',
  'vue-todo',
  'webawesome',
]
/** Apps that `npm test` checks. `npm run test:more` checks all. */
const SLICE = ['mui']
const PAGES = ['aria-patterns', 'patterns-choices', 'patterns-values', 'hostile']
/** A budget that no app exceeds. */
const ALL = { maxTokens: 100_000 }

function labelled(text: string): string[] {
  return text.split('\n').filter((line) => /\[(?:name (?:partly )?)?hidden: /.test(line))
}

/**
 * The only controls in these apps that commit a user to something. A button that opens a question first doesn't count.
 */
const COMMITS = /^button "(?:Delete .+|Book|Send)"(?! \[collapsed\])/

interface Judged {
  readonly controls: readonly string[]
  readonly commits: readonly string[]
}
type Tools = readonly {
  readonly name: string
  readonly commits: (input: object, call: object) => Promise<boolean>
}[]
interface Entry {
  find(query: object, options: object): Promise<readonly { ref: string; line: string }[]>
  pageTools(): Tools
}

/** Clicks on everything there is: which of them would be asked about. */
function judgeClicks(page: DrivenPage, entry: string): Promise<Judged> {
  return page.evaluate(async (name) => {
    const { find, pageTools } = (window as unknown as Record<string, Entry>)[name] as Entry
    const click = pageTools().find((tool) => tool.name === 'click')
    const commits: string[] = []
    const controls: string[] = []
    for (const role of ['button', 'link', 'menuitem', 'switch', 'checkbox', 'option', 'tab'])
      for (const { ref, line } of await find({ role }, { limit: 200 })) {
        controls.push(line)
        const call = { runId: 'r', conversationId: 'c', toolCallId: ref, tainted: false }
        if (await click?.commits({ ref }, call)) commits.push(line)
      }
    return { controls, commits }
  }, entry)
}

/** The text of the whole page, as the page's own entry reads it. */
function textOf(page: DrivenPage): Promise<string> {
  return page.evaluate(
    async (options) =>
      (
        window as unknown as {
          pageToolsEntry: {
            snapshot(root: undefined, options: object): Promise<{ text: string }>
          }
        }
      ).pageToolsEntry
        .snapshot(undefined, options)
        .then((snapshot) => snapshot.text),
    ALL,
  )
}

for (const name of APPS)
  test(
    `in ${name} only clicks that commit request approval, and no text is labelled hidden`,
    inSlice(SLICE.includes(name)),
    async ({ app, driven }) => {
      await app(name)
      const { controls, commits } = await judgeClicks(driven, 'pageToolsEntry')
      expect(controls.length).toBeGreaterThan(1)
      expect(commits).toEqual(controls.filter((line) => COMMITS.test(line)))
      const text = await textOf(driven)
      expect(text).toContain('[ref=')
      expect(labelled(text)).toEqual([])
    },
  )

for (const name of PAGES)
  test(
    `no text of ${name} is labelled hidden`,
    inSlice(name === 'hostile'),
    async ({ driven, apps }) => {
      const { call } = await openExample(driven, apps, { name, ...ALL })
      const text = await call('read_page')
      expect(text).toContain('[ref=')
      expect(labelled(text)).toEqual([])
    },
  )
