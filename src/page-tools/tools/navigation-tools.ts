import type { Tool } from '../../client/tool.ts'
import { askedAddress } from '../act/asked-address.ts'
import { allowedUrl, goBack, navigate } from '../act/navigate.ts'
import { strangeness } from '../act/known-address.ts'
import { escapeMarks } from '../clean-text.ts'
import type { Page } from '../options.ts'
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
      describe: ({ url }) => ({ text: addressLine(url, page) }),
      name: 'navigate',
      title: 'Go to an address',
      description:
        'Open an address of this site, absolute or relative. The work goes on in the new page. Prefer clicking links that the page shows.',
      inputSchema: {
        type: 'object',
        properties: { url: { type: 'string' } },
        required: ['url'],
        additionalProperties: false,
      },
    },
    {
      commits: ({ url }) => strangeness(allowedUrl(url, { page }), page) !== '',
      act: ({ url }, { signal }) => navigate(url, { page, signal }),
    },
  )
}

function addressLine(address: string, page: Page): string {
  const url = allowedUrl(address, { page })
  const note = strangeness(url, page)
  const shown = escapeMarks(askedAddress(url, { limit: ADDRESS_LIMIT }))
  return note ? `${shown}, ${note}` : shown
}

function goBackTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'go_back',
      title: 'Go back',
      description: "Go back to the previous page or view in the tab's history.",
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    },
    { act: (_input, { signal }) => goBack({ page, signal }) },
  )
}
