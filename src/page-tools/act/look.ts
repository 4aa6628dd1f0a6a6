import { isTag, viewOf } from '../dom.ts'
import { livePage, type LivePage, scrub } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { drawPicture, partsElsewhere } from '../read/draw-picture.ts'
import { isSvg, type Picture, picturesOf, requireShowable } from '../read/picture.ts'
import { nextFrame, sleep } from '../waiting.ts'
import { describeElement } from './describe.ts'
import { scrollIntoView } from './make-ready.ts'
import { resolveTarget, type Target } from './target.ts'

/** Picture of a part of the page. */
export interface Look {
  readonly image: Blob
  /** Pixels of the image. */
  readonly width: number
  readonly height: number
  /** Description of the picture for the model. */
  readonly text: string
}

/** Most elements of a drawing: more take too long to copy. */
const MAX_PARTS = 5000
/** How long a lazily loaded image may take. Milliseconds. */
const LOADING_MS = 5000
const LISTED = 6

/**
 * Takes a picture of an image, canvas or drawing, or of a video's current frame; the target may also contain it.
 * Rejects with a `PageError` if the picture is masked, invisible, or unreadable for the page.
 */
export async function look(target: Target, { page, signal }: ActOptions = {}): Promise<Look> {
  const live = livePage(page)
  const element = await resolveTarget(target, { page, live, signal, readOnly: true })
  const picture = onePicture(element, live)
  const name = scrub(describeElement(picture, live), live)
  await becomeDrawn(picture, signal)
  const parts = isSvg(picture) ? drawnParts(picture, name) : []
  requireShowable(picture, parts, { live, name })
  const { image, width, height, notes } = await drawPicture(picture, { name, parts })
  const size = `${width} × ${height} pixels`
  return { image, width, height, text: [`Picture of ${name}, ${size}.`, ...notes].join(' ') }
}

function onePicture(element: Element, live: LivePage): Picture {
  const [picture, ...others] = picturesOf(element, live.options)
  if (picture && others.length === 0) return picture
  const name = scrub(describeElement(element, live), live)
  if (!picture)
    throw new PageError(
      'unsupported',
      `${name} is no image, canvas or svg, and shows none. Read it with read_page.`,
    )
  const listed = [picture, ...others].slice(0, LISTED).map((one) => describeElement(one, live))
  const more = others.length + 1 - listed.length
  throw new PageError(
    'ambiguous',
    scrub(
      `${name} shows ${others.length + 1} pictures: ${listed.join(', ')}${more > 0 ? `, and ${more} more` : ''}. Name one of them.`,
      live,
    ),
  )
}

function drawnParts(drawing: SVGSVGElement, name: string): readonly Element[] {
  const parts = partsElsewhere(drawing, MAX_PARTS)
  if (!parts)
    throw new PageError(
      'unsupported',
      `${name} can't be looked at: it has more than ${MAX_PARTS} parts.`,
    )
  return parts
}

/**
 * Waits until the picture is drawn. An image may load only in view, and WebGL can be read only in the frame that draws
 * it.
 */
async function becomeDrawn(picture: Picture, signal: AbortSignal | undefined): Promise<void> {
  if (isTag(picture, 'canvas')) return nextFrame(viewOf(picture))
  if (!isTag(picture, 'img') || picture.complete) return
  scrollIntoView(picture)
  const until = performance.now() + LOADING_MS
  while (!picture.complete && performance.now() < until) await sleep(50, signal)
}
