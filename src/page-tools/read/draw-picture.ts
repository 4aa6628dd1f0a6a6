import { isDisplayed, isTag, viewOf } from '../dom.ts'
import { PageError } from '../page-error.ts'
import { copyDrawing } from './copy-drawing.ts'
import { drawnSize, groundOf, placeInBox, type Size } from './fit-picture.ts'
import { isSvg, type Picture, pictureBox } from './picture.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'

/** Maximum factor by which small vector drawings are enlarged. They lose no detail. */
const MAX_ENLARGED = 4
/** Side up to which small drawings are enlarged. CSS pixels. */
const ENLARGED_SIDE = 600

interface Drawn extends Size {
  readonly canvas: OffscreenCanvas
  /** Notes for the model, in sentences. */
  readonly notes: readonly string[]
}

/** `width` and `height`: in pixels of the image. */
export interface DrawnPicture extends Omit<Drawn, 'canvas'> {
  readonly image: Blob
}

type Context = OffscreenCanvasRenderingContext2D

/** `name`: name of the picture in errors. `parts`: parts of a drawing that are elsewhere in the page. */
export interface DrawOptions {
  readonly name: string
  readonly parts: readonly Element[]
}

/** Reads everything it needs from the page before it waits for anything. */
export async function drawPicture(picture: Picture, options: DrawOptions): Promise<DrawnPicture> {
  if (typeof OffscreenCanvas !== 'function')
    throw new PageError('unsupported', 'This browser is too old to give pictures.')
  const box = pictureBox(picture)
  if (box.width < 1 || box.height < 1)
    throw new PageError('hidden', `${options.name} can't be looked at: it has no size.`)
  try {
    const { canvas, ...drawn } = isSvg(picture)
      ? await drawDrawing(picture, box, options)
      : drawPixels(picture, box, options.name)
    return { ...drawn, image: await encode(canvas) }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'SecurityError')) throw error
    throw new PageError(
      'unsupported',
      `${options.name} can't be looked at: it comes from another site, which doesn't let pages read it (CORS).`,
    )
  }
}

function drawPixels(picture: Exclude<Picture, SVGSVGElement>, box: DOMRect, name: string): Drawn {
  const own = ownSize(picture)
  if (own.width === 0 || own.height === 0)
    throw new PageError('unsupported', `${name} shows no picture now: none is loaded.`)
  const place = placeInBox(picture, own, box)
  const size = drawnSize(box, Math.max(1, own.width / (place.width * box.width)))
  const { canvas, context } = canvasOf(size)
  context.drawImage(
    picture,
    place.x * size.width,
    place.y * size.height,
    place.width * size.width,
    place.height * size.height,
  )
  const isEmpty = isTag(picture, 'canvas') && isBlank(context, size)
  fillBehind(context, size, groundOf(picture))
  const empty =
    "It is empty, or drawn in a way that a page can't read back (WebGL without preserveDrawingBuffer)."
  return { ...size, canvas, notes: isEmpty ? [empty] : [] }
}

function ownSize(picture: Exclude<Picture, SVGSVGElement>): Size {
  if (isTag(picture, 'img')) return { width: picture.naturalWidth, height: picture.naturalHeight }
  if (isTag(picture, 'video')) return { width: picture.videoWidth, height: picture.videoHeight }
  return { width: picture.width, height: picture.height }
}

async function drawDrawing(
  drawing: SVGSVGElement,
  box: DOMRect,
  { name, parts }: DrawOptions,
): Promise<Drawn> {
  const enlarged = ENLARGED_SIDE / Math.max(box.width, box.height)
  const size = drawnSize(box, Math.min(Math.max(1, enlarged), MAX_ENLARGED))
  const { markup, isPart } = copyDrawing(drawing, parts, { box, size })
  const words = htmlWords(drawing, box, size)
  const ground = groundOf(drawing)
  const image = await loadDrawing(markup, viewOf(drawing))
  if (!image)
    throw new PageError(
      'unsupported',
      `${name} can't be looked at: this page lets no drawing be made into a picture.`,
    )
  const { canvas, context } = canvasOf(size)
  context.drawImage(image, 0, 0, size.width, size.height)
  context.textBaseline = 'middle'
  for (const { text, x, y, width, font, colour } of words) {
    context.font = font
    context.fillStyle = colour
    context.fillText(text, x, y, width)
  }
  fillBehind(context, size, ground)
  const left = 'What comes from other files is not in it.'
  return { ...size, canvas, notes: isPart ? [left] : [] }
}

/**
 * Loads a drawing as an image, which runs no scripts and loads nothing. A page's policy may allow only one of the two
 * kinds of address.
 */
async function loadDrawing(
  markup: string,
  view: Window & typeof globalThis,
): Promise<HTMLImageElement | null> {
  const image = new view.Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup)}`
  if (await isLoaded(image)) return image
  const address = URL.createObjectURL(new Blob([markup], { type: 'image/svg+xml' }))
  image.src = address
  const loaded = await isLoaded(image)
  URL.revokeObjectURL(address)
  return loaded ? image : null
}

function isLoaded(image: HTMLImageElement): Promise<boolean> {
  return image.decode().then(
    () => true,
    () => false,
  )
}

function canvasOf({ width, height }: Size): { canvas: OffscreenCanvas; context: Context } {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) throw new PageError('unsupported', 'This browser has no memory for a picture now.')
  context.imageSmoothingQuality = 'high'
  return { canvas, context }
}

function fillBehind(context: Context, { width, height }: Size, colour: string): void {
  context.globalCompositeOperation = 'destination-over'
  context.fillStyle = colour
  context.fillRect(0, 0, width, height)
}

function isBlank(context: Context, { width, height }: Size): boolean {
  const { data } = context.getImageData(0, 0, width, height)
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) return false
  return true
}

/** Largest PNG to send without trying JPEG. Bytes. */
const LARGE = 300_000

async function encode(canvas: OffscreenCanvas): Promise<Blob> {
  const exact = await canvas.convertToBlob({ type: 'image/png' })
  if (exact.size <= LARGE) return exact
  const photo = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 })
  return photo.size < exact.size / 2 ? photo : exact
}

/** A word, and its position in a picture. */
interface Word {
  readonly text: string
  readonly x: number
  /** Vertical middle of the word. */
  readonly y: number
  readonly width: number
  readonly font: string
  readonly colour: string
}

const MAX_WORDS = 3000
/** Height of a line in parts of its font size, for most fonts. */
const LINE = 1.17

/** Words in a drawing's HTML parts, which browsers don't let a page draw. `size`: size of the picture. */
function htmlWords(drawing: SVGSVGElement, box: DOMRect, size: Size): readonly Word[] {
  const words: Word[] = []
  const document = native.ownerDocument(drawing)
  const scale = size.width / box.width
  for (const part of native.querySelectorAll(drawing, 'foreignObject')) {
    const walker = nativeDocument.createTreeWalker(document, part, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const holder = native.parentElement(node)
      const isSeen =
        holder && isDisplayed(holder, { opacityProperty: true, visibilityProperty: true })
      if (!isSeen) continue
      const { color, fontFamily, fontWeight, fontStyle } = viewOf(holder).getComputedStyle(holder)
      for (const { index, 0: text } of (native.nodeValue(node) ?? '').matchAll(/\S+/g)) {
        if (words.length >= MAX_WORDS) return words
        const range = nativeDocument.createRange(document)
        range.setStart(node, index)
        range.setEnd(node, index + text.length)
        const { x, y, width, height } = range.getBoundingClientRect()
        if (width === 0) continue
        words.push({
          text,
          x: (x - box.x) * scale,
          y: (y - box.y + height / 2) * scale,
          width: width * scale,
          font: `${fontStyle} ${fontWeight} ${(height * scale) / LINE}px ${fontFamily}`,
          colour: color,
        })
      }
    }
  }
  return words
}
