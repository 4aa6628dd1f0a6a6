import { micromark } from 'micromark'
import { gfmStrikethrough, gfmStrikethroughHtml } from 'micromark-extension-gfm-strikethrough'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import { gfmTaskListItem, gfmTaskListItemHtml } from 'micromark-extension-gfm-task-list-item'

/** Markdown that the chat has no use for stays text: HTML, definitions of links, underlined headings, entities. */
const OFF = ['htmlFlow', 'htmlText', 'definition', 'setextUnderline', 'characterReference']

/** The characters of a Markdown text that are no markup, as the CommonMark and GFM reference parser says. No spaces. */
export function textOfMarkdown(text: string): string {
  const html = micromark(text, {
    extensions: [
      gfmTable(),
      gfmStrikethrough({ singleTilde: false }),
      gfmTaskListItem(),
      { disable: { null: OFF } },
    ],
    htmlExtensions: [gfmTableHtml(), gfmStrikethroughHtml(), gfmTaskListItemHtml()],
  })
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }
  return html
    .replaceAll(/<img [^>]*?alt="([^"]*)"[^>]*>/g, '$1')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|amp);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/<br\s*\/?>/gi, '')
    .replaceAll(/\s/g, '')
}

/** Whether a text has all characters of another one, in their order. */
export function holds(text: string, wanted: string): boolean {
  let at = 0
  for (const character of text) if (wanted.startsWith(character, at)) at += character.length
  return at === wanted.length
}

const MARKS =
  'a b 1 2 . : , { } "k": word é 😀 &amp; = --- *** * ** _ __ ~~ ~ ` `` ``` ~~~ \\ ! | [ ] ]( ](x) ](http://x) ![ ( ) [^1] <br> " \' < > <b> </b>'

/** Pieces of Markdown that mean something together, and some that don't. */
export const PIECES: readonly string[] = MARKS.split(' ').concat(
  ['foo bar', ' ', '  ', '\n', '\n', '\n\n', '- ', '* ', '+ ', '1. ', '2) ', '> ', '# '],
  [' | ', '\n|-|-|\n', '[ ] ', '[x] ', '[a]: x'],
)
