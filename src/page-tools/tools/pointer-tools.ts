import type { Tool } from '../../client/tool.ts'
import { click } from '../act/click.ts'
import { drag } from '../act/drag.ts'
import { hover } from '../act/hover.ts'
import { scroll } from '../act/scroll.ts'
import type { Page } from '../options.ts'
import { PageError } from '../page-error.ts'
import { actingTool } from './acting-tool.ts'
import { FRACTION, REF } from './parameters.ts'

/** What a person does with the mouse. */
export function pointerTools(page: Page): Tool[] {
  return [clickTool(page), hoverTool(page), dragTool(page), scrollTool(page)]
}

function clickTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'click',
      title: 'Click',
      description:
        'Click an element, and report what changed or why nothing may have. For lists use select_option, for fields type_text.',
      inputSchema: {
        type: 'object',
        properties: {
          ref: REF,
          kind: { enum: ['single', 'double', 'right'], description: 'Default single' },
          at: {
            type: 'object',
            properties: { x: FRACTION, y: FRACTION },
            required: ['x', 'y'],
            additionalProperties: false,
            description: 'Place on a picture, each 0 to 1, from its left and top',
          },
        },
        required: ['ref'],
        additionalProperties: false,
      },
    },
    {
      uses: ({ ref, kind, at: place }) => [
        { target: ref, action: 'click', opens: kind === 'right', ...(place && { at: place }) },
      ],
      act: ({ ref, kind, at: place }, { signal }, at) =>
        click(at(ref), { page, signal, ...(kind && { kind }), ...(place && { at: place }) }),
    },
  )
}

function hoverTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'hover',
      title: 'Hover',
      description: 'Move the pointer over an element, for menus and tooltips that open by that.',
      inputSchema: {
        type: 'object',
        properties: { ref: REF },
        required: ['ref'],
        additionalProperties: false,
      },
      annotations: { idempotent: true },
    },
    { act: ({ ref }, { signal }) => hover(ref, { page, signal }) },
  )
}

function dragTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'drag',
      title: 'Drag',
      description:
        'Drag an element onto another one (to), or by pixels (x, y). For sliders prefer type_text.',
      inputSchema: {
        type: 'object',
        properties: {
          ref: REF,
          to: { ...REF, description: 'Ref to drop it on' },
          x: { type: 'number', description: 'Pixels to the right' },
          y: { type: 'number', description: 'Pixels down' },
        },
        required: ['ref'],
        additionalProperties: false,
      },
    },
    {
      uses: ({ ref, to, x = 0, y = 0 }) => [
        { target: ref, action: 'drag' },
        to ? { target: to, action: 'drop' } : { target: ref, action: 'drop', by: { x, y } },
      ],
      act: ({ ref, to, x, y }, { signal }, at) => {
        if (to) return drag(at(ref), { to: at(to) }, { page, signal })
        if (x === undefined && y === undefined)
          throw new PageError('invalid-input', 'Say where to: give to, or x and y.')
        return drag(at(ref), { by: { x: x ?? 0, y: y ?? 0 } }, { page, signal })
      },
    },
  )
}

function scrollTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'scroll',
      title: 'Scroll',
      description:
        'Scroll to an element (ref alone), or the page or a part (ref) in a direction; with until, on until that text appears, for lists that load while scrolling. Other tools scroll by themselves.',
      inputSchema: {
        type: 'object',
        properties: {
          ref: REF,
          direction: { enum: ['up', 'down', 'left', 'right', 'top', 'bottom'] },
          until: { type: 'string', description: 'Text of the item to find' },
        },
        additionalProperties: false,
      },
      annotations: { idempotent: true },
    },
    {
      act: ({ ref, direction, until }, { signal }) =>
        scroll({
          page,
          signal,
          ...(ref && { target: ref }),
          ...(direction && { direction }),
          ...(until && { until }),
        }),
    },
  )
}
