import type { Tool } from '../../client/tools/tool.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { formatApprovalAddress } from '../act/approval-target.ts'
import { click, hover } from '../act/click.ts'
import { drag } from '../act/drag.ts'
import { fillForm, setChecked } from '../act/fill-form.ts'
import { highlight } from '../act/highlight.ts'
import type { Look } from '../act/look.ts'
import { type AddressNote, allowedUrl, goBack, navigate, noteOnAddress } from '../act/navigate.ts'
import { scroll } from '../act/scroll.ts'
import { selectOption } from '../act/select-option.ts'
import type { Target } from '../act/target.ts'
import { readKey } from '../act/text/key.ts'
import { pressKey } from '../act/text/press-key.ts'
import { selectText } from '../act/text/select-text.ts'
import { typeText } from '../act/text/type-text.ts'
import { waitFor } from '../act/wait-for.ts'
import { escapeMarks } from '../clean-text.ts'
import {
  CLICK,
  DRAG,
  FILL_FORM,
  GO_BACK,
  HIGHLIGHT,
  HOVER,
  LOOK,
  NAVIGATE,
  PRESS_KEY,
  SCROLL,
  SELECT_OPTION,
  SELECT_TEXT,
  SET_CHECKED,
  TYPE_TEXT,
  WAIT_FOR,
} from '../definitions.ts'
import { type ActOptions, type Page, PageError, part } from '../page.ts'
import { UNTRUSTED } from '../read/snapshot.ts'
import { actingTool, readUnloadNote } from './acting-tool.ts'
import { typedTool } from './page-tools.ts'

export {
  actingTool,
  click,
  drag,
  fillForm,
  goBack,
  highlight,
  hover,
  navigate,
  pressKey,
  readUnloadNote,
  scroll,
  selectOption,
  selectText,
  setChecked,
  typeText,
  waitFor,
}

const loadLook = part(() => import('../act/look.ts'))

export async function look(target: Target, options: ActOptions = {}): Promise<Look> {
  return (await loadLook()).look(target, options)
}

const hasBreaks = (text: string): boolean => /[\r\n]/.test(text)

/** Long enough to show all that the model wrote into an address, which may leak data. */
const ADDRESS_LIMIT = 2000

const MAKERS: readonly ((page: Page) => Tool)[] = [
  (page) =>
    typedTool({
      ...LOOK,
      async execute({ ref }, { signal }) {
        const { image, text } = await look(ref, { page, signal })
        return [`${text} ${UNTRUSTED}`, image]
      },
    }),
  (page) =>
    typedTool({
      ...HIGHLIGHT,
      execute: ({ ref, note }, { signal }) =>
        highlight(ref, { page, signal, ...(note && { note }) }),
    }),
  (page) =>
    typedTool({
      ...WAIT_FOR,
      execute: async (input, { signal }) => (await waitFor({ ...input, page, signal })).text,
    }),
  (page) =>
    actingTool(page, CLICK, {
      uses: ({ ref, kind, at: point }) => [
        { target: ref, action: 'click', opens: kind === 'right', ...(point && { at: point }) },
      ],
      act: ({ ref, kind, at: point }, { signal }, getTarget) =>
        click(getTarget(ref), { page, signal, ...(kind && { kind }), ...(point && { at: point }) }),
    }),
  (page) => actingTool(page, HOVER, { act: ({ ref }, { signal }) => hover(ref, { page, signal }) }),
  (page) =>
    actingTool(page, DRAG, {
      uses: ({ ref, to, x = 0, y = 0 }) => [
        { target: ref, action: 'drag' },
        to ? { target: to, action: 'drop' } : { target: ref, action: 'drop', by: { x, y } },
      ],
      act({ ref, to, x, y }, { signal }, getTarget) {
        if (!to && x === undefined && y === undefined)
          throw new PageError('invalid-input', 'Say where to: give to, or x and y.')
        const destination = to ? { to: getTarget(to) } : { by: { x: x ?? 0, y: y ?? 0 } }
        return drag(getTarget(ref), destination, { page, signal })
      },
    }),
  (page) =>
    actingTool(page, SCROLL, {
      act: ({ ref, ...rest }, { signal }) =>
        scroll({ ...rest, page, signal, ...(ref && { target: ref }) }),
    }),
  (page) =>
    actingTool(page, TYPE_TEXT, {
      fills: true,
      uses: ({ ref, text, enter }) => [
        { target: ref, action: enter ? 'enter' : 'type', typed: true, breaks: hasBreaks(text) },
      ],
      writes: ({ ref, text }) => [{ target: ref, pointer: '/text', text }],
      act: ({ ref, text, ...rest }, { signal }, getTarget) =>
        typeText(getTarget(ref), text, { ...rest, page, signal }),
    }),
  (page) =>
    actingTool(page, SELECT_TEXT, {
      act: ({ ref, ...rest }, { signal }) => selectText(ref, { ...rest, page, signal }),
    }),
  (page) =>
    actingTool(page, FILL_FORM, {
      fills: true,
      uses: ({ fields }) =>
        fields.map(({ ref, value }) =>
          typeof value === 'boolean'
            ? { target: ref, action: 'check' }
            : { target: ref, action: 'type', typed: true, breaks: hasBreaks(String(value)) },
        ),
      writes: ({ fields }) =>
        fields.map(({ ref, value }, index) => ({
          target: ref,
          pointer: `/fields/${index}/value`,
          text: String(value),
        })),
      act: ({ fields }, { signal }, getTarget) =>
        fillForm(
          fields.map(({ ref, value }) => ({ target: getTarget(ref), value })),
          { page, signal },
        ),
    }),
  (page) =>
    actingTool(page, SELECT_OPTION, {
      fills: true,
      uses: ({ ref, options }) => [{ target: ref, action: 'select', labels: options }],
      writes: ({ ref }) => [{ target: ref, pointer: '/options' }],
      act: ({ ref, options }, { signal }, getTarget) =>
        selectOption(getTarget(ref), options, { page, signal }),
    }),
  (page) =>
    actingTool(page, SET_CHECKED, {
      fills: true,
      uses: ({ ref }) => [{ target: ref, action: 'check' }],
      act: ({ ref, checked }, { signal }, getTarget) =>
        setChecked(getTarget(ref), checked, { page, signal }),
    }),
  (page) =>
    actingTool(page, PRESS_KEY, {
      uses: ({ key, ref }) => [
        { target: ref, action: readKey(key).key === 'Enter' ? 'enter' : 'press', key },
      ],
      // A single character is typed text, which may be secret. Named keys and the space aren't.
      writes: ({ key, ref }) => (/^\S$/su.test(key) ? [{ target: ref, pointer: '/key' }] : []),
      act: ({ key, ref, times }, { signal }, getTarget) =>
        pressKey(key, {
          page,
          signal,
          ...(ref && { target: getTarget(ref) }),
          ...(times && { times }),
        }),
    }),
  (page) =>
    actingTool(
      page,
      {
        describe: ({ url: address }: { readonly url: string }) => {
          const { url, note } = readAddress(address, page)
          const formatted = escapeMarks(formatApprovalAddress(url, { limit: ADDRESS_LIMIT }))
          return {
            text: note.text ? `${formatted}, ${note.text}` : formatted,
            data: { note: note.text },
          }
        },
        ...NAVIGATE,
      },
      {
        needsApproval: ({ url }) => readAddress(url, page).note.needsApproval,
        commits: ({ url }) => readAddress(url, page).note.text !== '',
        act({ url }, { signal, about, mayCommit }) {
          requireApproval(readAddress(url, page).note, { about, mayCommit })
          return navigate(url, { page, signal })
        },
      },
    ),
  (page) => actingTool(page, GO_BACK, { act: (_input, { signal }) => goBack({ page, signal }) }),
]

/** Makes the tools that act on the page, point at its parts or look at them. */
export function makeTools(page: Page): readonly Tool[] {
  return MAKERS.map((createTool) => createTool(page))
}

function readAddress(address: string, page: Page): { url: URL; note: AddressNote } {
  const url = allowedUrl(address, { page })
  return { url, note: noteOnAddress(url, page) }
}

/** Throws if the address has a note that the approval didn't show. `about`: data of the approval. */
function requireApproval(
  { text, needsApproval }: AddressNote,
  { about, mayCommit }: { readonly about: JsonValue | undefined; readonly mayCommit: boolean },
): void {
  const shownNote = about === undefined ? null : (about as { readonly note: string }).note
  if (shownNote === null ? needsApproval || (text && !mayCommit) : text && text !== shownNote)
    throw new PageError(
      shownNote === null ? 'unconfirmed' : 'stale-ref',
      `This address is one ${text}: nobody approved that. Read the page again, and repeat the call.`,
    )
}
