import { elementById } from '../dom.ts'
import * as native from '../native.ts'
import { CSS_NUMBER } from './css-number.ts'
import type { Sides } from './sides.ts'
import { lazyPattern } from '../../lib/once.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** The bounds of what a `clip-path` leaves, from the corner of its box; null where that can't be told. */
export function clipArea(path: string, size: Size): Sides | null {
  const [, shape = '', inside = ''] = /^([a-z]+)\((.*)\)(?: [a-z-]+)?$/.exec(path) ?? []
  const area = readShape(shape, inside, size)
  return area && Object.values(area).some(Number.isNaN) ? null : area
}

/** Whether an area is too narrow to show anything of a letter. */
export function isEmptyArea({ left, top, right, bottom }: Sides): boolean {
  return right - left < 1 || bottom - top < 1
}

/** Whether a `clip-path` is that of an element of the page which has no shapes in it. */
export function isEmptyReference(path: string, element: Element): boolean {
  const id = /^url\("#([^"]+)"\)$/.exec(path)?.[1]
  if (!id) return false
  const found = elementById(native.getRootNode(element), id)
  return (
    found !== null &&
    native.localName(found) === 'clipPath' &&
    native.childElementCount(found) === 0
  )
}

function readShape(shape: string, inside: string, size: Size): Sides | null {
  switch (shape) {
    case 'inset':
      return insetArea(inside, size)
    case 'circle':
    case 'ellipse':
      return roundArea(inside, size)
    case 'polygon':
      return around(
        inside
          .replace(/^(nonzero|evenodd),\s*/, '')
          .split(',')
          .map((point) => pointOf(point, size)),
      )
    case 'path':
      return pathArea(inside)
    case 'shape':
      return around(
        inside
          .replace(/^(nonzero|evenodd)\s+/, '')
          .split(',')
          .filter((part) => part.trim() !== 'close')
          .map((part) =>
            pointOf(/^\s*(?:from|(?:move|line) to) (.*)$/.exec(part)?.[1] ?? '', size),
          ),
      )
    default:
      return null
  }
}

function insetArea(inside: string, { width, height }: Size): Sides {
  const [top = '0', right = top, bottom = top, left = right] = tokens(
    inside.split(' round ')[0] ?? '',
  )
  return {
    left: length(left, width),
    top: length(top, height),
    right: width - length(right, width),
    bottom: height - length(bottom, height),
  }
}

function roundArea(inside: string, { width, height }: Size): Sides {
  const [radii = '', place = '50% 50%'] = inside.split(/(?:^| )at /)
  const [first = '', second] = tokens(radii)
  const diagonal = Math.hypot(width, height) / Math.SQRT2
  const x = length(first, second === undefined ? diagonal : width)
  const y = second === undefined ? x : length(second, height)
  // Nothing is left, wherever its centre is.
  if (x === 0 || y === 0) return { left: 0, top: 0, right: 0, bottom: 0 }
  const at = pointOf(place, { width, height })
  return { left: at.x - x, top: at.y - y, right: at.x + x, bottom: at.y + y }
}

interface Point {
  readonly x: number
  readonly y: number
}

function pointOf(text: string, { width, height }: Size): Point {
  const [x = '', y = '', rest] = tokens(text)
  return rest === undefined
    ? { x: length(x, width), y: length(y, height) }
    : { x: Number.NaN, y: Number.NaN }
}

function around(points: readonly Point[]): Sides {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  return {
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...xs),
    bottom: Math.max(...ys),
  }
}

/** No command is an `e`: that belongs to a number. */
const COMMANDS = /([a-df-z])([^a-df-z]*)/gi
const NUMBERS = lazyPattern(() => CSS_NUMBER, 'g')

/** Curves lie within their points. Browsers write a path with absolute ones. */
function pathArea(inside: string): Sides | null {
  const [, path = ''] = /^(?:(?:nonzero|evenodd), )?"([^"]*)"$/.exec(inside) ?? []
  const points: Point[] = []
  let at: Point = { x: 0, y: 0 }
  for (const [, command = '', text = ''] of path.matchAll(COMMANDS)) {
    const numbers = (text.match(NUMBERS()) ?? []).map(Number)
    if (!'MLCSQTHVZ'.includes(command)) return null
    if ('HV'.includes(command) && numbers.length > 1) return null
    if (command === 'H') numbers.splice(1, 0, at.y)
    if (command === 'V') numbers.unshift(at.x)
    for (let next = 0; next + 1 < numbers.length; next += 2) {
      at = { x: numbers[next] ?? Number.NaN, y: numbers[next + 1] ?? Number.NaN }
      points.push(at)
    }
  }
  return points.length > 0 ? around(points) : null
}

/** Parts between gaps, those of a `calc()` in one. */
function tokens(text: string): readonly string[] {
  return text.match(/(?:[^\s()]|\([^()]*\))+/g) ?? []
}

const SUM = lazyPattern(() => `^${CSS_NUMBER}(?:px|%)?(?: [-+] ${CSS_NUMBER}(?:px|%))*$`)
const TERMS = lazyPattern(() => `(${CSS_NUMBER})(px|%)?`, 'g')

/** A length in percent of `size`, in pixels, or as a sum of both; not a number for others. */
function length(text: string, size: number): number {
  const sum = /^calc\(([^()]*)\)$/.exec(text)?.[1] ?? text
  if (!SUM().test(sum)) return Number.NaN
  let total = 0
  for (const [, value, unit] of sum.replaceAll(' ', '').matchAll(TERMS()))
    total += unit === '%' ? (Number(value) / 100) * size : Number(value)
  return total
}
