import type { LivePage } from '../live-page.ts'
import { frameOf, viewOf } from '../dom.ts'
import { sleep } from '../waiting.ts'

const TAG = 'offstage-hands'
const SHOWN_MS = 900
const TRAVEL_MS = 180

const STYLE = `
:host { all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none; }
.box, .dot { position: absolute; box-sizing: border-box; }
.box { border: 2px solid #6d4aff; border-radius: 6px; background: #6d4aff1a; }
.dot { width: 16px; height: 16px; margin: -8px; border-radius: 50%; background: #6d4affcc; box-shadow: 0 0 0 3px #fff; }
.note { position: absolute; font: 13px system-ui, sans-serif; color: #fff; background: #6d4aff; padding: 2px 8px; border-radius: 6px; }
@media (prefers-reduced-motion: no-preference) { .dot { transition: left ${TRAVEL_MS}ms ease-out, top ${TRAVEL_MS}ms ease-out; } }
`

interface Overlay {
  readonly host: HTMLElement
  readonly layer: ShadowRoot
  timer: ReturnType<typeof setTimeout> | undefined
}

const overlays = new WeakMap<LivePage, Overlay>()

/** Marks the element of an action and moves the cursor to it, where the page wants visible hands. */
export async function showHand(live: LivePage, element: Element): Promise<void> {
  if (!live.options.hands) return
  drawMark(live, element, { ms: SHOWN_MS })
  if (!viewOf(element).matchMedia('(prefers-reduced-motion: reduce)').matches)
    await sleep(TRAVEL_MS)
}

/** Draws a frame around an element for a while. */
export function drawMark(
  live: LivePage,
  element: Element,
  { ms, note }: { readonly ms: number; readonly note?: string },
): void {
  const overlay = overlayOf(live)
  const box = pageBox(element)
  const mark = document.createElement('div')
  mark.className = 'box'
  place(mark, { left: box.left - 3, top: box.top - 3 })
  mark.style.width = `${box.width + 6}px`
  mark.style.height = `${box.height + 6}px`
  overlay.layer.querySelector('.box')?.remove()
  overlay.layer.querySelector('.note')?.remove()
  overlay.layer.append(mark)
  if (note) {
    const label = document.createElement('div')
    label.className = 'note'
    label.textContent = note
    place(label, { left: box.left, top: Math.max(2, box.top - 28) })
    overlay.layer.append(label)
  }
  const dot = overlay.layer.querySelector<HTMLElement>('.dot')
  if (dot) place(dot, { left: box.left + box.width / 2, top: box.top + box.height / 2 })
  clearTimeout(overlay.timer)
  overlay.timer = setTimeout(() => live.clearHands(), ms)
}

function overlayOf(live: LivePage): Overlay {
  const known = overlays.get(live)
  if (known?.host.isConnected) return known
  const host = document.createElement(TAG)
  host.setAttribute('data-offstage-ignore', '')
  host.setAttribute('aria-hidden', 'true')
  const layer = host.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  layer.adoptedStyleSheets = [sheet]
  const dot = document.createElement('div')
  dot.className = 'dot'
  layer.append(dot)
  document.documentElement.append(host)
  const overlay: Overlay = { host, layer, timer: undefined }
  overlays.set(live, overlay)
  live.clearHands = () => {
    clearTimeout(overlay.timer)
    host.remove()
    overlays.delete(live)
    live.clearHands = () => undefined
  }
  return overlay
}

/** The element's box in the page's own coordinates, from inside frames too. */
function pageBox(element: Element): DOMRect {
  const box = element.getBoundingClientRect()
  for (let frame = frameOf(element.ownerDocument); frame; frame = frameOf(frame.ownerDocument)) {
    const around = frame.getBoundingClientRect()
    box.x += around.x
    box.y += around.y
  }
  return box
}

function place(element: HTMLElement, at: { readonly left: number; readonly top: number }): void {
  element.style.left = `${at.left}px`
  element.style.top = `${at.top}px`
}
