import { svg } from '../lib/dom.ts'
import type { Product, Shape } from './catalogue.ts'

/** `[element, its geometry, its part of the pot]`; the parts have their colours in shop.css. */
type Stroke = readonly [
  tag: 'path' | 'ellipse',
  geometry: Geometry,
  part: 'glaze' | 'dark' | 'line',
]

interface Geometry {
  readonly [name: string]: string
}

const shapes: Readonly<Record<Shape, readonly Stroke[]>> = {
  mug: [
    ['path', { d: 'M78 42c22-4 24 34-2 34' }, 'line'],
    ['path', { d: 'M34 34h46l-3 44q-1 8-9 8H46q-8 0-9-8z' }, 'glaze'],
    ['ellipse', { cx: '57', cy: '34', rx: '23', ry: '5' }, 'dark'],
  ],
  espresso: [
    ['ellipse', { cx: '60', cy: '84', rx: '36', ry: '6' }, 'dark'],
    ['path', { d: 'M76 54c16-3 17 20-3 20' }, 'line'],
    ['path', { d: 'M42 48h36l-4 26q-2 8-9 8H55q-7 0-9-8z' }, 'glaze'],
    ['ellipse', { cx: '60', cy: '48', rx: '18', ry: '4' }, 'dark'],
  ],
  teapot: [
    ['path', { d: 'M34 52c-22-4-22 30 2 26' }, 'line'],
    ['path', { d: 'M78 66q14-4 16-22l8-2q0 30-24 38z' }, 'glaze'],
    ['path', { d: 'M32 62q0-22 26-22t26 22q0 24-16 26H48q-16-2-16-26z' }, 'glaze'],
    ['path', { d: 'M42 41q16-10 32 0-16 6-32 0z' }, 'dark'],
    ['ellipse', { cx: '58', cy: '33', rx: '4', ry: '4' }, 'dark'],
  ],
  bowl: [
    ['path', { d: 'M24 48h72q-2 34-26 38H50Q26 82 24 48z' }, 'glaze'],
    ['ellipse', { cx: '60', cy: '48', rx: '36', ry: '8' }, 'dark'],
  ],
  plate: [
    ['ellipse', { cx: '60', cy: '60', rx: '42', ry: '27' }, 'glaze'],
    ['ellipse', { cx: '60', cy: '58', rx: '27', ry: '16' }, 'dark'],
  ],
  vase: [
    ['path', { d: 'M51 22h18q-4 16 6 28 12 18-4 38H49q-16-20-4-38 10-12 6-28z' }, 'glaze'],
    ['ellipse', { cx: '60', cy: '22', rx: '9', ry: '3' }, 'dark'],
  ],
  jug: [
    ['path', { d: 'M76 44c22-6 24 32 0 32' }, 'line'],
    ['path', { d: 'M36 30l8 4h32q-4 12 2 26 4 22-8 26H48q-12-4-8-26 4-12-4-30z' }, 'glaze'],
    ['path', { d: 'M36 30l8 4h32q-18 8-34 4z' }, 'dark'],
  ],
}

/** Decoration: the product's name stands beside it. */
export function drawProduct({ shape, glaze }: Product): SVGElement {
  const picture = svg('svg', { viewBox: '0 0 120 112', class: 'picture', 'aria-hidden': 'true' })
  picture.style.setProperty('--glaze', glaze)
  picture.append(svg('ellipse', { cx: '60', cy: '92', rx: '38', ry: '6', class: 'shadow' }))
  for (const [tag, geometry, part] of shapes[shape]) {
    picture.append(svg(tag, { ...geometry, class: part }))
  }
  return picture
}
