import { isTag, viewOf } from '../dom.ts'
import { livePage, type LivePage, scrub } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { partsElsewhere } from '../read/copy-drawing.ts'
import { drawPicture } from '../read/draw-picture.ts'
import { requireShowable } from '../read/may-show-picture.ts'
import { isSvg, type Picture, picturesOf } from '../read/picture.ts'
import { nextFrame, sleep } from '../waiting.ts'
import { describeElement } from './describe.ts'
import { scrollIntoView } from './make-ready.ts'
import { resolveTarget, type Target } from './target.ts'

/** What a part of the page looks like. */
export interface Look {
  readonly image: Blob
  /** In pixels of the image. */
  readonly width: number
  readonly height: number
  /** What a model should read with it. */
  readonly text: string
}

/** Of a drawing: more take too long to copy. */
const MAX_PARTS = 5000
/** How long an image that is loaded as it comes into view may take. Milliseconds. */
const LOADING_MS = 5000
const LISTED = 6

/**
 * A picture of an image, a canvas, a drawing or what a video shows, or of the one that the target holds. Rejects with a
 * `PageError` for what is masked, what nobody sees, and what a page can't read.
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

/** An image may load only as it comes into view, and WebGL can be read in the frame that draws it only. */
async function becomeDrawn(picture: Picture, signal: AbortSignal | undefined): Promise<void> {
  if (isTag(picture, 'canvas')) return nextFrame(viewOf(picture))
  if (!isTag(picture, 'img') || picture.complete) return
  scrollIntoView(picture)
  const until = performance.now() + LOADING_MS
  while (!picture.complete && performance.now() < until) await sleep(50, signal)
}
