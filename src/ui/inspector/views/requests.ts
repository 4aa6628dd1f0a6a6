import { html, nothing, svg, type TemplateResult } from 'lit'
import type { SentRequest } from '../../../index.ts'
import type { InspectorContext } from '../context.ts'
import { timeOfDay } from './format.ts'
import { regionView, tableView } from './table.ts'
import { treeView } from './tree.ts'

const SECTIONS = ['instructions', 'tools', 'history', 'snapshots', 'context'] as const

/** Lists the requests to models. Live only: they aren't stored. */
export function requestsView({
  recording,
  file,
  chosen,
  choose,
  list,
}: InspectorContext): TemplateResult {
  const requests = recording?.requests ?? []
  if (requests.length === 0)
    return html`<p class="empty">
      ${
        file
          ? 'Requests are not stored.'
          : 'Make the agent with requests: true and raw: true to see them.'
      }
    </p>`
  return tableView({
    label: 'Requests',
    name: 'requests',
    columns: ['Time', 'Step', 'Model', 'Messages', 'Tools', 'Tokens'],
    rows: requests,
    list,
    selected: chosen.request ?? -1,
    cells: ({ at, event: { step, attempt, request } }) => [
      timeOfDay(at),
      attempt > 1 ? `${step}, attempt ${attempt}` : String(step),
      request.model,
      String(request.messages.length),
      String(request.tools.length),
      String(sumOf(request)),
    ],
    select: (request) => choose({ request }),
  })
}

function sumOf({ tokens }: SentRequest): number {
  return SECTIONS.reduce((sum, section) => sum + tokens[section], 0)
}

export function requestDetail(context: InspectorContext): TemplateResult | typeof nothing {
  const { recording, chosen } = context
  const recorded = recording?.requests[chosen.request ?? -1]
  if (!recorded) return nothing
  const { request, step } = recorded.event
  const { tokens, instructions, messages, tools, context: live, ...rest } = request
  const parts = { ...rest, instructions, messages, tools, context: live }
  const content = html`<h3>Tokens, estimated</h3>
    ${shareView(request)}
    <dl class="tokens">
      ${SECTIONS.map(
        (section) =>
          html`<dt><i class="swatch ${section}"></i>${section}</dt>
            <dd>${tokens[section]}</dd>`,
      )}
    </dl>
    <h3>Sent</h3>
    ${treeView(parts, 'request', context)}
    <h3>Came back</h3>
    ${
      recorded.raw.length === 0
        ? html`<p class="quiet">Make the agent with raw: true.</p>`
        : treeView(recorded.raw, 'raw', context)
    }`
  return regionView(`Request of step ${step}`, content)
}

function shareView(request: SentRequest): TemplateResult {
  const whole = Math.max(1, sumOf(request))
  let at = 0
  const percent = (value: number): string => `${((value / whole) * 100).toFixed(2)}%`
  return html`<svg class="share" aria-hidden="true">
    ${SECTIONS.map((section) => {
      const x = at
      at += request.tokens[section]
      return svg`<rect class=${section} x=${percent(x)} width=${percent(request.tokens[section])} height="100%"></rect>`
    })}
  </svg>`
}
