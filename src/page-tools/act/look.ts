import { isTag, viewOf, ancestorsOf, elementById, isDisplayed, isElement } from '../dom.ts'
import { livePage, type LivePage, scrub } from '../outline/live-page.ts'
import { type ActOptions, PageError } from '../page.ts'
import { isSvg, type Picture, picturesOf, requireShowable, pictureBox } from '../read/picture.ts'
import { createTimeLimit, nextFrame, poll } from '../waiting.ts'
import { describeElement, resolveTarget, type Target } from './target.ts'
import { scrollIntoView } from './make-ready.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { readAlpha } from '../sight/unseen.ts'

/** Picture of a part of the page. */
export interface Look {
  readonly image: Blob
  /** Pixels of the image. */
  readonly width: number
  readonly height: number
  /** Description of the picture for the model. */
  readonly text: string
}

/** Maximum elements of a drawing: more take too long to copy. */
const MAX_PARTS = 5000
/** How long a lazily loaded image may take. Milliseconds. */
const LOADING_MS = 5000
const LISTED = 6

export async function look(target: Target, options: ActOptions = {}): Promise<Look> {
  const { page, signal } = options
  const live = livePage(page)
  const element = await resolveTarget(target, { ...options, readOnly: true })
  const picture = findPicture(element, live)
  const name = scrub(describeElement(picture, live), live)
  await waitUntilDrawn(picture, signal)
  const parts = isSvg(picture) ? requireParts(picture, name) : []
  requireShowable(picture, parts, { live, name })
  const { image, width, height, notes } = await drawPicture(picture, { name, parts })
  const size = `${width} × ${height} pixels`
  return { image, width, height, text: [`Picture of ${name}, ${size}.`, ...notes].join(' ') }
}

function findPicture(element: Element, live: LivePage): Picture {
  const [picture, ...others] = picturesOf(element, live.options)
  if (picture && others.length === 0) return picture
  const name = scrub(describeElement(element, live), live)
  if (!picture)
    throw new PageError(
      'unsupported',
      `${name} is no image, canvas or svg, and shows none. Read it with read_page.`,
    )
  const listedNames = [picture, ...others]
    .slice(0, LISTED)
    .map((item) => describeElement(item, live))
  const unlistedCount = others.length + 1 - listedNames.length
  throw new PageError(
    'ambiguous',
    scrub(
      `${name} shows ${others.length + 1} pictures: ${listedNames.join(', ')}${unlistedCount > 0 ? `, and ${unlistedCount} more` : ''}. Name one of them.`,
      live,
    ),
  )
}

function requireParts(drawing: SVGSVGElement, name: string): readonly Element[] {
  const parts = findExternalParts(drawing, MAX_PARTS)
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
async function waitUntilDrawn(picture: Picture, signal: AbortSignal | undefined): Promise<void> {
  if (isTag(picture, 'canvas')) return nextFrame(viewOf(picture))
  if (!isTag(picture, 'img') || picture.complete) return
  scrollIntoView(picture)
  await poll(() => picture.complete, createTimeLimit(LOADING_MS), { signal })
}

/** Size that models read without scaling the picture down: about 1500 tokens. */
const MAX_PIXELS = 1_100_000
const MAX_SIDE = 1568

interface Size {
  readonly width: number
  readonly height: number
}

/** The size in which to draw a picture: its natural size times `density`, up to a limit. */
function getDrawnSize({ width, height }: Size, density: number): Size {
  const maxScale = Math.min(
    Math.sqrt(MAX_PIXELS / (width * height)),
    MAX_SIDE / Math.max(width, height),
  )
  const scale = Math.min(density, maxScale)
  return { width: toPixels(width * scale), height: toPixels(height * scale) }
}

const toPixels = (length: number): number => Math.max(1, Math.round(length))

/** Place of an element's picture in its box, by `object-fit` and `object-position`, as fractions of the box. */
function getFittedBox(element: Element, natural: Size, box: Size): DOMRect {
  const { objectFit, objectPosition } = viewOf(element).getComputedStyle(element)
  const scale = getFitScale(objectFit, natural, box)
  const width = scale === null ? box.width : natural.width * scale
  const height = scale === null ? box.height : natural.height * scale
  const [horizontal = '50%', vertical = '50%'] = objectPosition.split(' ')
  const x = getOffset(horizontal, box.width - width)
  const y = getOffset(vertical, box.height - height)
  return new DOMRect(x / box.width, y / box.height, width / box.width, height / box.height)
}

/** Returns null if the picture is stretched. */
function getFitScale(fit: string, natural: Size, box: Size): number | null {
  const [horizontal, vertical] = [box.width / natural.width, box.height / natural.height]
  switch (fit) {
    case 'contain':
      return Math.min(horizontal, vertical)
    case 'cover':
      return Math.max(horizontal, vertical)
    case 'none':
      return 1
    case 'scale-down':
      return Math.min(1, horizontal, vertical)
    default:
      return null
  }
}

function getOffset(position: string, space: number): number {
  const number = Number.parseFloat(position) || 0
  return position.endsWith('%') ? (space * number) / 100 : number
}

/** The plain colour behind a picture, which may be transparent. */
function getBackground(picture: Picture): string {
  for (const ancestor of [picture, ...ancestorsOf(picture)]) {
    const { backgroundColor } = viewOf(ancestor).getComputedStyle(ancestor)
    if (readAlpha(backgroundColor) === 1) return backgroundColor
  }
  return 'white'
}

const SVG = 'http://www.w3.org/2000/svg'
/**
 * Elements that aren't copied: they run, move or fetch something, or draw nothing. Words of HTML parts are drawn
 * separately.
 */
const LEFT_OUT =
  /^(script|style|foreignObject|animate|animateTransform|animateMotion|set|mpath|title|desc|metadata)$/
const DATA_IMAGE = /^data:image\/(png|jpe?g|gif|webp|avif)[;,]/i
const REFERENCE = /url\(\s*["']?#([^"')]+)["']?\s*\)/g

/** A self-contained copy of a drawing. */
interface DrawingCopy {
  /** Markup of the drawing as it looks now, without scripts, styles and addresses. */
  readonly markup: string
  /** The copy is incomplete: parts that come from other files are left out. */
  readonly isPart: boolean
}

interface Copying {
  readonly to: Document
  isPart: boolean
}

/**
 * Parts of a drawing that are elsewhere in the page: symbols, gradients. Null if the drawing has more than `limit`
 * elements including these parts, each counted as often as it is copied.
 */
function findExternalParts(drawing: SVGSVGElement, limit: number): readonly Element[] | null {
  const root = native.getRootNode(drawing)
  const found = new Set<Element>()
  const pending: Element[] = [drawing]
  let remaining = limit
  for (let current = pending.pop(); current; current = pending.pop()) {
    const elements = [current, ...native.querySelectorAll(current, '*')]
    remaining -= elements.length
    if (remaining < 0) return null
    for (const id of elements.flatMap(getReferences)) {
      const part = elementById(root, id)
      if (!part || native.contains(drawing, part) || found.has(part)) continue
      found.add(part)
      pending.push(part)
    }
  }
  return [...found]
}

function getReferences(element: Element): readonly string[] {
  const style = viewOf(element).getComputedStyle(element)
  const painted = [
    'fill',
    'stroke',
    'clip-path',
    'mask',
    'filter',
    'marker-start',
    'marker-mid',
    'marker-end',
  ]
    .map((name) => style.getPropertyValue(name))
    .join(' ')
  const ids = [...painted.matchAll(REFERENCE)].map(([, id]) => id ?? '')
  const href = getHref(element)
  return href.startsWith('#') ? [...ids, href.slice(1)] : ids
}

function getHref(element: Element): string {
  return native.getAttribute(element, 'href') ?? native.getAttribute(element, 'xlink:href') ?? ''
}

/** Copies a drawing into a document that loads and runs nothing. `parts`: its parts elsewhere in the page. */
function copyDrawing(
  drawing: SVGSVGElement,
  parts: readonly Element[],
  { box, size }: { readonly box: Size; readonly size: Size },
): DrawingCopy {
  const copyDocument = nativeDocument
    .implementation(native.ownerDocument(drawing))
    .createDocument(SVG, 'svg', null)
  const copying: Copying = { to: copyDocument, isPart: false }
  const copy = copyElement(drawing, null, copying) ?? copyDocument.documentElement
  if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`)
  for (const name of ['x', 'y', 'transform', 'opacity', 'display', 'visibility'])
    copy.removeAttribute(name)
  copy.setAttribute('width', String(size.width))
  copy.setAttribute('height', String(size.height))
  const defs = copyDocument.createElementNS(SVG, 'defs')
  for (const part of parts) {
    const inner = copyElement(part, null, copying)
    if (inner) defs.append(inner)
  }
  copy.prepend(defs)
  return { markup: new XMLSerializer().serializeToString(copy), isPart: copying.isPart }
}

function copyElement(element: Element, parent: Element | null, copying: Copying): Element | null {
  const tag = native.localName(element)
  if (native.namespaceURI(element) !== SVG || LEFT_OUT.test(tag)) return null
  const copy = copying.to.importNode(element, false)
  for (const name of copy.getAttributeNames())
    if (/^(on|style$|class$)/i.test(name)) copy.removeAttribute(name)
  const href = getHref(element)
  if (href && !href.startsWith('#') && !DATA_IMAGE.test(href)) {
    copy.removeAttribute('href')
    copy.removeAttributeNS('http://www.w3.org/1999/xlink', 'href')
    if (tag !== 'a') copying.isPart = true
  }
  if (!copyPaint(element, parent, copy)) return null
  const nodes = native.childNodes(element)
  // Browsers draw only one of the alternatives of a `switch`, usually the first.
  const first = tag === 'switch' ? native.firstElementChild(element) : null
  for (const node of first ? [first] : nodes) {
    const type = native.nodeType(node)
    const inner = isElement(node) ? copyElement(node, element, copying) : null
    if (inner) copy.append(inner)
    else if (type === 3) copy.append(copying.to.createTextNode(native.nodeValue(node) ?? ''))
  }
  return copy
}

// The copy lacks the page's style sheets, which may have painted the drawing: write computed styles into attributes.

/** Properties that children inherit. */
const INHERITED = (
  'fill,fill-opacity,fill-rule,stroke,stroke-width,stroke-dasharray,stroke-dashoffset,stroke-linecap,stroke-linejoin,' +
  'stroke-miterlimit,stroke-opacity,color,visibility,font-family,font-size,font-style,font-weight,letter-spacing,' +
  'text-anchor,clip-rule,marker-start,marker-mid,marker-end,paint-order'
).split(',')
/** Other properties, with their initial values. */
const INITIAL_VALUES: Readonly<Record<string, string>> = {
  opacity: '1',
  'clip-path': 'none',
  mask: 'none',
  filter: 'none',
  'stop-color': 'rgb(0, 0, 0)',
  'stop-opacity': '1',
  'dominant-baseline': 'auto',
  'vector-effect': 'none',
}
const SHAPES = /^(rect|circle|ellipse|image)$/
const GEOMETRY = ['x', 'y', 'width', 'height', 'cx', 'cy', 'r', 'rx', 'ry']

/** Writes how an element is painted into its copy. Returns false if it isn't displayed. */
function copyPaint(element: Element, parent: Element | null, copy: Element): boolean {
  const style = viewOf(element).getComputedStyle(element)
  if (style.display === 'none') return false
  const parentStyle = parent && viewOf(parent).getComputedStyle(parent)
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name)
    const attributeValue = copy.getAttribute(name)
    // A symbol gets these colours from the place where it is used.
    if (attributeValue !== null && /currentcolor|inherit|context-/i.test(attributeValue)) continue
    const differs = parentStyle
      ? value !== parentStyle.getPropertyValue(name)
      : native.localName(element) === 'svg'
    if (value && (differs || attributeValue !== null)) copy.setAttribute(name, value)
  }
  for (const [name, initial] of Object.entries(INITIAL_VALUES)) {
    const value = style.getPropertyValue(name)
    if (value && value !== initial) copy.setAttribute(name, value)
  }
  if (SHAPES.test(native.localName(element)))
    for (const name of GEOMETRY) {
      const value = style.getPropertyValue(name)
      if (!copy.hasAttribute(name) && /^-?[\d.]+(px|%)$/.test(value)) copy.setAttribute(name, value)
    }
  const transform = parent && style.transform !== 'none' ? getMatrix(element, parent) : null
  if (transform) copy.setAttribute('transform', transform)
  return true
}

/** Matrix from an element's coordinates to its parent's, whether a style or an attribute sets it. */
function getMatrix(element: Element, parent: Element): string | null {
  const elementMatrix = (element as Partial<SVGGraphicsElement>).getScreenCTM?.()
  const parentMatrix = (parent as Partial<SVGGraphicsElement>).getScreenCTM?.()
  if (!elementMatrix || !parentMatrix) return null
  const { a, b, c, d, e, f } = parentMatrix.inverse().multiply(elementMatrix)
  return `matrix(${[a, b, c, d, e, f].join(' ')})`
}

/** Maximum factor by which small vector drawings are enlarged. They lose no detail. */
const MAX_ENLARGED = 4
/** Side up to which small drawings are enlarged. CSS pixels. */
const ENLARGED_SIDE = 600

interface Drawing extends Size {
  readonly canvas: OffscreenCanvas
  /** Notes for the model, in sentences. */
  readonly notes: readonly string[]
}

/** `width` and `height`: in pixels of the image. */
export interface DrawnPicture extends Omit<Drawing, 'canvas'> {
  readonly image: Blob
}

type Context = OffscreenCanvasRenderingContext2D

/** `name`: name of the picture in errors. `parts`: parts of a drawing that are elsewhere in the page. */
export interface DrawOptions {
  readonly name: string
  readonly parts: readonly Element[]
}

/** Reads all it needs from the page before the first `await`, since the page may change later. */
async function drawPicture(picture: Picture, options: DrawOptions): Promise<DrawnPicture> {
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

function drawPixels(picture: Exclude<Picture, SVGSVGElement>, box: DOMRect, name: string): Drawing {
  const natural = getNaturalSize(picture)
  if (natural.width === 0 || natural.height === 0)
    throw new PageError('unsupported', `${name} shows no picture now: none is loaded.`)
  const fittedBox = getFittedBox(picture, natural, box)
  const size = getDrawnSize(box, Math.max(1, natural.width / (fittedBox.width * box.width)))
  const { canvas, context } = createCanvas(size)
  context.drawImage(
    picture,
    fittedBox.x * size.width,
    fittedBox.y * size.height,
    fittedBox.width * size.width,
    fittedBox.height * size.height,
  )
  const isEmpty = isTag(picture, 'canvas') && isBlank(context, size)
  fillBackground(context, size, getBackground(picture))
  const emptyNote =
    "It is empty, or drawn in a way that a page can't read back (WebGL without preserveDrawingBuffer)."
  return { ...size, canvas, notes: isEmpty ? [emptyNote] : [] }
}

function getNaturalSize(picture: Exclude<Picture, SVGSVGElement>): Size {
  if (isTag(picture, 'img')) return { width: picture.naturalWidth, height: picture.naturalHeight }
  if (isTag(picture, 'video')) return { width: picture.videoWidth, height: picture.videoHeight }
  return { width: picture.width, height: picture.height }
}

async function drawDrawing(
  drawing: SVGSVGElement,
  box: DOMRect,
  { name, parts }: DrawOptions,
): Promise<Drawing> {
  const enlargement = ENLARGED_SIDE / Math.max(box.width, box.height)
  const size = getDrawnSize(box, Math.min(Math.max(1, enlargement), MAX_ENLARGED))
  const { markup, isPart } = copyDrawing(drawing, parts, { box, size })
  const textRuns = htmlWords(drawing, box, size)
  const background = getBackground(drawing)
  const image = await loadDrawing(markup, viewOf(drawing))
  if (!image)
    throw new PageError(
      'unsupported',
      `${name} can't be looked at: this page lets no drawing be made into a picture.`,
    )
  const { canvas, context } = createCanvas(size)
  context.drawImage(image, 0, 0, size.width, size.height)
  context.textBaseline = 'middle'
  for (const { text, x, y, width, font, colour } of textRuns) {
    context.font = font
    context.fillStyle = colour
    context.fillText(text, x, y, width)
  }
  fillBackground(context, size, background)
  const externalNote = 'What comes from other files is not in it.'
  return { ...size, canvas, notes: isPart ? [externalNote] : [] }
}

/**
 * Loads a drawing as an image, which runs no scripts and loads nothing. Tries a data URL and a blob URL, because a
 * page's policy may allow only one.
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

function createCanvas({ width, height }: Size): { canvas: OffscreenCanvas; context: Context } {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) throw new PageError('unsupported', 'This browser has no memory for a picture now.')
  context.imageSmoothingQuality = 'high'
  return { canvas, context }
}

function fillBackground(context: Context, { width, height }: Size, colour: string): void {
  context.globalCompositeOperation = 'destination-over'
  context.fillStyle = colour
  context.fillRect(0, 0, width, height)
}

function isBlank(context: Context, { width, height }: Size): boolean {
  const { data } = context.getImageData(0, 0, width, height)
  for (let index = 3; index < data.length; index += 4) if (data[index] !== 0) return false
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
/** Height of a line as a multiple of its font size, for most fonts. */
const LINE = 1.17

/** Words in a drawing's HTML parts, which browsers don't let a page draw. `size`: size of the picture. */
function htmlWords(drawing: SVGSVGElement, box: DOMRect, size: Size): readonly Word[] {
  const words: Word[] = []
  const document = native.ownerDocument(drawing)
  const scale = size.width / box.width
  for (const part of native.querySelectorAll(drawing, 'foreignObject')) {
    const walker = nativeDocument.createTreeWalker(document, part, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = native.parentElement(node)
      const isVisible =
        parent && isDisplayed(parent, { opacityProperty: true, visibilityProperty: true })
      if (!isVisible) continue
      const { color, fontFamily, fontWeight, fontStyle } = viewOf(parent).getComputedStyle(parent)
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
