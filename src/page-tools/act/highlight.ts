import { frameOf, toWindowPixels, viewOf } from '../dom.ts'
import { livePage, type LivePage } from '../outline/live-page.ts'
import { type ActOptions, PageError } from '../page.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { describeElement, resolveTarget, type Target } from './target.ts'
import { scrollIntoView } from './make-ready.ts'
import { toOuterBox, isOnScreen } from './hit-test.ts'
import { nextFrame, sleep } from '../waiting.ts'
import { beginActing } from './guard-actions.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'

const TAG = 'offstage-hands'
const SHOWN_MS = 900
const TRAVEL_MS = 180

const STYLE = `
:host { all: initial; display: block; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none; }
.box, .cursor { position: absolute; box-sizing: border-box; }
.box { border: 2px solid #6d4aff; border-radius: 6px; background: #6d4aff1a; }
.cursor { width: 20px; height: 28px; filter: drop-shadow(0 0 1px #fff) drop-shadow(0 1px 2px #0009); }
.cursor::before { content: ''; position: absolute; inset: 0; background: #6d4aff; clip-path: polygon(0 0, 0 76%, 24% 59%, 42% 98%, 60% 90%, 42% 53%, 74% 53%); }
.note { position: absolute; font: 13px system-ui, sans-serif; color: #fff; background: #6d4aff; padding: 2px 8px; border-radius: 6px; }
@media (prefers-reduced-motion: no-preference) { .cursor { transition: left ${TRAVEL_MS}ms ease-out, top ${TRAVEL_MS}ms ease-out; } }
`

interface Overlay {
  readonly host: HTMLElement
  readonly layer: ShadowRoot
  timer: ReturnType<typeof setTimeout> | undefined
}

const overlays = new WeakMap<LivePage, Overlay>()

/**
 * Draws a frame around the element of an action and moves the cursor to it, if the page's `showActions` option
 * is set.
 */
export async function showAction(live: LivePage, element: Element): Promise<void> {
  if (!live.options.showActions) return
  drawFrame(live, element, { ms: SHOWN_MS })
  if (!viewOf(element).matchMedia('(prefers-reduced-motion: reduce)').matches)
    await sleep(TRAVEL_MS)
}

/** Draws a frame around an element for a while, and returns it. */
function drawFrame(
  live: LivePage,
  element: Element,
  { ms, note }: { readonly ms: number; readonly note?: string },
): HTMLElement {
  const overlay = getOverlay(live)
  bringToFront(overlay.host)
  const box = pageBox(element)
  const frame = nativeDocument.createElement(document, 'div')
  frame.className = 'box'
  setPosition(frame, { left: box.left - 3, top: box.top - 3 })
  frame.style.width = `${box.width + 6}px`
  frame.style.height = `${box.height + 6}px`
  overlay.layer.querySelector('.box')?.remove()
  overlay.layer.querySelector('.note')?.remove()
  overlay.layer.append(frame)
  if (note) {
    const label = nativeDocument.createElement(document, 'div')
    label.className = 'note'
    label.textContent = note
    setPosition(label, { left: box.left, top: Math.max(2, box.top - 28) })
    overlay.layer.append(label)
  }
  const cursor = overlay.layer.querySelector<HTMLElement>('.cursor')
  if (cursor) setPosition(cursor, { left: box.left + box.width / 2, top: box.top + box.height / 2 })
  clearTimeout(overlay.timer)
  overlay.timer = setTimeout(() => live.clearOverlay(), ms)
  return frame
}

function getOverlay(live: LivePage): Overlay {
  const existing = overlays.get(live)
  if (existing?.host.isConnected) return existing
  const host = nativeDocument.createElement(document, TAG)
  host.setAttribute('data-offstage-ignore', '')
  host.setAttribute('aria-hidden', 'true')
  host.setAttribute('popover', 'manual')
  const layer = host.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  layer.adoptedStyleSheets = [sheet]
  const cursor = nativeDocument.createElement(document, 'div')
  cursor.className = 'cursor'
  layer.append(cursor)
  nativeDocument.documentElement(document).append(host)
  const overlay: Overlay = { host, layer, timer: undefined }
  overlays.set(live, overlay)
  live.clearOverlay = () => {
    clearTimeout(overlay.timer)
    host.remove()
    overlays.delete(live)
    live.clearOverlay = () => undefined
  }
  return overlay
}

/** Puts the overlay above modal dialogs: in the top layer, the last element added is on top. */
function bringToFront(host: HTMLElement): void {
  if (host.matches(':popover-open')) host.hidePopover()
  host.showPopover()
}

/** The element's box in the coordinates of the page's window, also inside frames. */
function pageBox(element: Element): DOMRect {
  let box = toWindowPixels(element, element.getBoundingClientRect())
  for (
    let frame = frameOf(native.ownerDocument(element));
    frame;
    frame = frameOf(native.ownerDocument(frame))
  )
    box = toOuterBox(frame, box)
  return box
}

function setPosition(
  element: HTMLElement,
  position: { readonly left: number; readonly top: number },
): void {
  element.style.left = `${position.left}px`
  element.style.top = `${position.top}px`
}

/** Options of `highlight`: a note beside the element, and how long both stay. */
export interface HighlightOptions extends ActOptions {
  /** Text beside the element. */
  readonly note?: string
  /** Milliseconds to show the frame for. Default 4000. */
  readonly ms?: number
}

export async function highlight(target: Target, options: HighlightOptions = {}): Promise<string> {
  const { page, signal, note, ms = 4000 } = options
  const live = livePage(page)
  const element = await resolveTarget(target, { ...options, readOnly: true })
  signal?.throwIfAborted()
  const hidden = hiddenReason(element)
  if (hidden)
    throw new PageError('hidden', `${describeElement(element, live)} can't be shown: ${hidden}.`)
  const endActing = beginActing([viewOf(element)], live.lifetime())
  scrollIntoView(element)
  const frame = drawFrame(live, element, { ms, ...(note && { note: note.slice(0, 120) }) })
  endActing()
  const name = describeElement(element, live)
  // Waits two frames, in which the page may scroll back, or remove the frame that was drawn.
  for (let count = 0; count < 2; count += 1) await nextFrame(viewOf(element))
  if (!isOnScreen(element))
    throw new PageError('hidden', `${name} can't be shown: the page did not scroll to it.`)
  if (!frame.isConnected)
    throw new PageError('unsupported', `The page took away the frame around ${name}.`)
  return `The person now sees a frame around ${name}.`
}
