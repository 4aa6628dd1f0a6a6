import { html, type TemplateResult } from 'lit'
import { positionOf, type InspectorContext } from '../context.ts'
import { timeOfDay } from './format.ts'

/** Where time stands, and what moves it. */
export function scrubberView(context: InspectorContext): TemplateResult {
  const { recording, choose, chosen, isPlaying, list } = context
  const rows = recording?.journal.rows ?? []
  const at = positionOf(context)
  const row = rows[at - 1]
  const move = (position: number): void => {
    context.stop()
    choose({ position, line: null, ...(chosen.tab === 'events' && { tab: 'journal' }) })
    if (chosen.tab === 'journal') list.reveal(position - 1)
  }
  const toNewest = (): void => {
    context.stop()
    choose({ position: null, line: null })
    if (chosen.tab === 'journal') list.reveal(rows.length - 1)
  }
  return html`<footer class="scrubber" part="scrubber">
    <button
      type="button"
      ?disabled=${rows.length === 0}
      @click=${() => (isPlaying ? context.stop() : replay(context))}
    >
      ${isPlaying ? 'Stop' : 'Replay'}
    </button>
    <button type="button" aria-label="Row before" ?disabled=${at <= 1} @click=${() => move(at - 1)}>
      ‹
    </button>
    <input
      type="range"
      aria-label="Row"
      min="0"
      max=${rows.length}
      .value=${String(at)}
      aria-valuetext=${row ? `Row ${at}, ${row.type}` : 'Before the first row'}
      @input=${(event: Event) => move(Number((event.target as HTMLInputElement).value))}
    />
    <button
      type="button"
      aria-label="Row after"
      ?disabled=${at >= rows.length}
      @click=${() => move(at + 1)}
    >
      ›
    </button>
    <output
      >${row ? `${at} of ${rows.length} · ${row.type} · ${timeOfDay(row.at)}` : `0 of ${rows.length}`}</output
    >
    <button type="button" aria-pressed=${chosen.position === null} @click=${toNewest}>
      Newest
    </button>
  </footer>`
}

/** Shows what a page showed as the rows came. */
function replay(context: InspectorContext): void {
  context.choose({
    tab: 'journal',
    detail: 'shown',
    line: null,
    notice: 'Replayed from the stored rows: nothing runs.',
  })
  context.play()
}
