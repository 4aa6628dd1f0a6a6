import { ancestorsOf, viewOf } from '../dom.ts'
import { readColour } from '../sight/colour.ts'
import type { Picture } from './picture.ts'

/** Size that models read without scaling it down themselves: some 1500 tokens. */
const MAX_PIXELS = 1_100_000
const MAX_SIDE = 1568

export interface Size {
  readonly width: number
  readonly height: number
}

/** The size in which to draw a picture: its own number of pixels (`density` for each of the page's), up to a limit. */
export function drawnSize({ width, height }: Size, density: number): Size {
  const most = Math.min(
    Math.sqrt(MAX_PIXELS / (width * height)),
    MAX_SIDE / Math.max(width, height),
  )
  const scale = Math.min(density, most)
  return { width: whole(width * scale), height: whole(height * scale) }
}

const whole = (length: number): number => Math.max(1, Math.round(length))

/** Place of an element's picture in its box, by `object-fit` and `object-position`, in parts of the box. */
export function placeInBox(element: Element, own: Size, box: Size): DOMRect {
  const { objectFit, objectPosition } = viewOf(element).getComputedStyle(element)
  const scale = fitScale(objectFit, own, box)
  const width = scale === null ? box.width : own.width * scale
  const height = scale === null ? box.height : own.height * scale
  const [across = '50%', down = '50%'] = objectPosition.split(' ')
  const x = offset(across, box.width - width)
  const y = offset(down, box.height - height)
  return new DOMRect(x / box.width, y / box.height, width / box.width, height / box.height)
}

/** Null: the picture is stretched. */
function fitScale(fit: string, own: Size, box: Size): number | null {
  const [across, down] = [box.width / own.width, box.height / own.height]
  switch (fit) {
    case 'contain':
      return Math.min(across, down)
    case 'cover':
      return Math.max(across, down)
    case 'none':
      return 1
    case 'scale-down':
      return Math.min(1, across, down)
    default:
      return null
  }
}

function offset(position: string, room: number): number {
  const number = Number.parseFloat(position) || 0
  return position.endsWith('%') ? (room * number) / 100 : number
}

/** The plain colour behind a picture, which may be transparent. */
export function groundOf(picture: Picture): string {
  for (const one of [picture, ...ancestorsOf(picture)]) {
    const { backgroundColor } = viewOf(one).getComputedStyle(one)
    if (readColour(backgroundColor)?.alpha === 1) return backgroundColor
  }
  return 'white'
}
