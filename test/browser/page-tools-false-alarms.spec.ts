import { openExample } from './support/example-page.ts'
import { expect, test } from './support/page-apps.ts'

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
const PAGES = ['aria-patterns', 'patterns-choices', 'patterns-values', 'hostile']
/** More than any of them has. */
const ALL = { maxTokens: 100_000 }

function labelled(text: string): string[] {
  return text.split('\n').filter((line) => /\[(?:name (?:partly )?)?hidden: /.test(line))
}

for (const name of APPS)
  test(`no text of ${name} has a label of hidden text`, async ({ app, driven }) => {
    await app(name)
    const text = await driven.evaluate(
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
    expect(text).toContain('[ref=')
    expect(labelled(text)).toEqual([])
  })

for (const name of PAGES)
  test(`no text of ${name} has a label of hidden text`, async ({ driven, apps }) => {
    const { call } = await openExample(driven, apps, { name, ...ALL })
    const text = await call('read_page')
    expect(text).toContain('[ref=')
    expect(labelled(text)).toEqual([])
  })
