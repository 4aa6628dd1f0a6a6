import { html, nothing, type TemplateResult } from 'lit'
import type { InspectorContext } from '../context.ts'
import { eventLines, summaryOf } from '../parts/event-book.ts'
import { said } from './said.ts'
import { timeOfDay } from './format.ts'
import { regionView } from './region.ts'
import { tableView } from './table.ts'
import { treeView } from './tree.ts'

/** Lists events as they arrived. Events that weren't observed are derived from the stored rows. */
export function eventsView(context: InspectorContext): TemplateResult {
  const { recording, chosen, choose, list, filtered } = context
  const all = recording?.book.entries ?? []
  const entries = filtered.of(all, chosen)
  return html`
    <div class="filters" role="group" aria-label="Filter">
      <input
        type="search"
        placeholder="Search"
        aria-label="Search events"
        .value=${chosen.text}
        @input=${(event: Event) => choose({ text: (event.target as HTMLInputElement).value })}
      />
      <select
        aria-label="Type of event"
        @change=${(event: Event) => choose({ type: (event.target as HTMLSelectElement).value })}
      >
        <option value="">All types</option>
        ${[...(recording?.book.types ?? [])]
          .toSorted()
          .map(
            (type) =>
              html`<option value=${type} ?selected=${type === chosen.type}>${type}</option>`,
          )}
      </select>
      <label
        ><input
          type="checkbox"
          .checked=${chosen.isMerged}
          @change=${(event: Event) => choose({ isMerged: (event.target as HTMLInputElement).checked, event: null })}
        />Merge pieces</label
      >
      <button
        type="button"
        @click=${() => context.copy(eventLines(entries), `${entries.length} events`)}
      >
        Copy as JSON Lines
      </button>
    </div>
    ${
      entries.length === 0
        ? html`<p class="empty">No events.</p>`
        : tableView({
            label: 'Events',
            name: 'events',
            columns: ['Time', 'Event', 'What'],
            rows: entries,
            list,
            selected: chosen.event ? entries.indexOf(chosen.event) : -1,
            cells: (entry) => [
              timeOfDay(entry.at),
              entry.events.length > 1 ? `${entry.type} ×${entry.events.length}` : entry.type,
              summaryOf(entry),
            ],
            select: (index) => choose({ event: entries[index] ?? null }),
          })
    }
  `
}

export function eventDetail(context: InspectorContext): TemplateResult | typeof nothing {
  const { event } = context.chosen
  if (!event) return nothing
  const value = event.events.length === 1 ? event.events[0] : event.events
  return regionView(
    event.type,
    html`<h3>${event.type}</h3>
      ${event.events.length > 1 ? html`<p class="text">${said(summaryOf(event))}</p>` : nothing}
      ${treeView(value, 'event', context)}`,
  )
}
