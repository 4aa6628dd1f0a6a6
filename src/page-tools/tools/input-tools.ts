import type { Tool } from '../../client/tools/tool.ts'
import { fillForm, setChecked } from '../act/fill-form.ts'
import { activates, pressKey } from '../act/text/press-key.ts'
import { selectOption } from '../act/select-option.ts'
import { selectText } from '../act/text/select-text.ts'
import { typeText } from '../act/text/type-text.ts'
import type { Page } from '../options.ts'
import { actingTool, CHARACTER, REF } from './acting-tool.ts'

/** Tools for the keyboard and forms. */
export function inputTools(page: Page): Tool[] {
  return [
    typeTool(page),
    selectTextTool(page),
    fillTool(page),
    selectTool(page),
    checkTool(page),
    keyTool(page),
  ]
}

const hasBreaks = (text: string): boolean => /[\r\n]/.test(text)

function typeTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'type_text',
      title: 'Type',
      description:
        'Type into a field or editor. Replaces what it holds; mode append adds, insert types over the selection, replace changes these characters only, as read_page counts. Dates as 2026-03-09, times 14:30, colours #ff8800, sliders a number, files by the name of an attachment. enter presses Enter afterwards.',
      inputSchema: {
        type: 'object',
        properties: {
          ref: REF,
          text: { type: 'string' },
          mode: { enum: ['replace', 'append', 'insert'] },
          replace: {
            type: 'object',
            properties: { from: CHARACTER, to: CHARACTER },
            required: ['from', 'to'],
            additionalProperties: false,
          },
          enter: { type: 'boolean' },
        },
        required: ['ref', 'text'],
        additionalProperties: false,
      },
    },
    {
      uses: ({ ref, text, enter }) => [
        { target: ref, action: enter ? 'enter' : 'type', typed: true, breaks: hasBreaks(text) },
      ],
      writes: ({ ref, text }) => [{ target: ref, pointer: '/text', text }],
      act: ({ ref, text, mode, replace, enter }, { signal }, at) =>
        typeText(at(ref), text, {
          page,
          signal,
          ...(mode && { mode }),
          ...(replace && { replace }),
          ...(enter && { enter }),
        }),
    },
  )
}

function selectTextTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'select_text',
      title: 'Select text',
      description:
        'Select a passage (text), or the characters from … to, of a field, an editor or a part of the page; without either, all of it. type_text with mode insert then replaces it.',
      inputSchema: {
        type: 'object',
        properties: {
          ref: REF,
          text: { type: 'string', minLength: 1 },
          from: CHARACTER,
          to: CHARACTER,
        },
        required: ['ref'],
        additionalProperties: false,
      },
      annotations: { idempotent: true },
    },
    {
      act: ({ ref, text, from, to }, { signal }) =>
        selectText(ref, {
          page,
          signal,
          ...(text !== undefined && { text }),
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
        }),
    },
  )
}

function fillTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'fill_form',
      title: 'Fill in a form',
      description:
        'Fill several fields: text, the label of an option, or true/false for boxes and switches. Stops at the first that refuses, or when the page changes; the report says which are filled. Does not submit.',
      inputSchema: {
        type: 'object',
        properties: {
          fields: {
            type: 'array',
            minItems: 1,
            maxItems: 40,
            items: {
              type: 'object',
              properties: { ref: REF, value: { type: ['string', 'number', 'boolean'] } },
              required: ['ref', 'value'],
              additionalProperties: false,
            },
          },
        },
        required: ['fields'],
        additionalProperties: false,
      },
    },
    {
      uses: ({ fields }) =>
        fields.map(({ ref, value }) =>
          typeof value === 'boolean'
            ? { target: ref, action: 'check' }
            : { target: ref, action: 'type', typed: true, breaks: hasBreaks(String(value)) },
        ),
      writes: ({ fields }) =>
        fields.map(({ ref, value }, index) => ({
          target: ref,
          pointer: `/fields/${index}/value`,
          text: String(value),
        })),
      act: ({ fields }, { signal }, at) =>
        fillForm(
          fields.map(({ ref, value }) => ({ target: at(ref), value })),
          { page, signal },
        ),
    },
  )
}

function selectTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'select_option',
      title: 'Choose',
      description:
        'Choose options by their visible labels, in a select, listbox, combobox or menu button. Opens, scrolls and filters the list by itself.',
      inputSchema: {
        type: 'object',
        properties: {
          ref: REF,
          options: { type: 'array', items: { type: 'string' }, minItems: 1 },
        },
        required: ['ref', 'options'],
        additionalProperties: false,
      },
    },
    {
      uses: ({ ref, options }) => [{ target: ref, action: 'select', labels: options }],
      writes: ({ ref }) => [{ target: ref, pointer: '/options' }],
      act: ({ ref, options }, { signal }, at) => selectOption(at(ref), options, { page, signal }),
    },
  )
}

function checkTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'set_checked',
      title: 'Check or uncheck',
      description:
        'Check or uncheck a checkbox, switch, radio or toggle button, unless it is so already.',
      inputSchema: {
        type: 'object',
        properties: { ref: REF, checked: { type: 'boolean' } },
        required: ['ref', 'checked'],
        additionalProperties: false,
      },
      annotations: { idempotent: true },
    },
    {
      uses: ({ ref }) => [{ target: ref, action: 'check' }],
      act: ({ ref, checked }, { signal }, at) => setChecked(at(ref), checked, { page, signal }),
    },
  )
}

function keyTool(page: Page): Tool {
  return actingTool(
    {
      page,
      name: 'press_key',
      title: 'Press a key',
      description:
        'Press a key where the focus is, or on an element: Enter, Escape, ArrowDown, Control+A, Shift+Tab … To write use type_text.',
      inputSchema: {
        type: 'object',
        properties: {
          key: { type: 'string' },
          ref: REF,
          times: { type: 'integer', minimum: 1, maximum: 50 },
        },
        required: ['key'],
        additionalProperties: false,
      },
    },
    {
      uses: ({ key, ref }) => [{ target: ref, action: activates(key) ? 'enter' : 'press', key }],
      // A single character is text, other keys have names. A space activates, too, and is no secret.
      writes: ({ key, ref }) => (/^\S$/su.test(key) ? [{ target: ref, pointer: '/key' }] : []),
      act: ({ key, ref, times }, { signal }, at) =>
        pressKey(key, { page, signal, ...(ref && { target: at(ref) }), ...(times && { times }) }),
    },
  )
}
