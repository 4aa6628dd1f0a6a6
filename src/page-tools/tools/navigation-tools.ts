import type { Tool } from '../../client/tool.ts'
import { askedAddress } from '../act/asked-address.ts'
import { allowedUrl, goBack, navigate } from '../act/navigate.ts'
import { type AddressNote, noteOnAddress } from '../act/known-address.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { escapeMarks } from '../clean-text.ts'
import type { Page } from '../options.ts'
import { PageError } from '../page-error.ts'
import { actingTool } from './acting-tool.ts'

/** What is written into an address is the model's, and may be what leaves the page by it. */
const ADDRESS_LIMIT = 2000

export function navigationTools(page: Page): Tool[] {
  return [navigateTool(page), goBackTool(page)]
}

function navigateTool(page: Page): Tool {
  return actingTool(
    {
      page,
      describe: ({ url: address }) => {
        const { url, note } = readAddress(address, page)
        const shown = escapeMarks(askedAddress(url, { limit: ADDRESS_LIMIT }))
        return { text: note.text ? `${shown}, ${note.text}` : shown, data: { note: note.text } }
      },
      name: 'navigate',
      title: 'Go to an address',
      description:
        'Open an address of this site; the work goes on in the new page. Prefer clicking links that the page shows.',
      inputSchema: {
        type: 'object',
        properties: { url: { type: 'string' } },
        required: ['url'],
        additionalProperties: false,
      },
    },
    {
      mustAsk: ({ url }) => readAddress(url, page).note.mustAsk,
      commits: ({ url }) => readAddress(url, page).note.text !== '',
      act: ({ url }, { signal, about, mayCommit }) => {
        requireAsked(readAddress(url, page).note, { about, mayCommit })
        return navigate(url, { page, signal })
      },
    },
  )
}

function readAddress(address: string, page: Page): { url: URL; note: AddressNote } {
  const url = allowedUrl(address, { page })
  return { url, note: noteOnAddress(url, page) }
}

/** Throws when something is to be said of the address that a person wasn't told. `about`: what they were. */
function requireAsked(
  { text, mustAsk }: AddressNote,
  { about, mayCommit }: { readonly about: JsonValue | undefined; readonly mayCommit: boolean },
): void {
  const told = about === undefined ? null : (about as { readonly note: string }).note
  if (told === null ? mustAsk || (text && !mayCommit) : text && text !== told)
    throw new PageError(
      told === null ? 'unconfirmed' : 'stale-ref',
      `This address is one ${text}: a person was not asked about that. Read the page again, and call it again.`,
    )
}

function goBackTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'go_back',
      title: 'Go back',
      description: "Go back in the tab's history.",
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    },
    { act: (_input, { signal }) => goBack({ page, signal }) },
  )
}
