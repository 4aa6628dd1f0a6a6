import { type Agent, OffstageError } from 'offstage'
import type { OffstageChat } from 'offstage/chat'
import { byId, el, setText } from '../lib/dom.ts'
import { type CallMode, callModeIn } from '../model/call-mode.ts'
import { type AnyTool, editTool, ownTool, promptFor, type ToolEdit } from './edit-tools.ts'
import type { StoredEdits } from './stored-edits.ts'

interface ToolsOptions {
  readonly agent: Agent
  readonly chat: OffstageChat
  /** The app's tools, without edits. */
  readonly tools: readonly AnyTool[]
  readonly edits: StoredEdits
  readonly callMode: CallMode
  onCallMode(mode: CallMode): void
  /** Called after a tool was changed, added or removed. */
  onEdited(): void
}

const NEW_TOOL: ToolEdit = {
  description: 'Tells the weather in a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string', examples: ['Oslo'] } },
    required: ['city'],
  },
  approval: 'default',
  answer: '21 °C and sunny in {{city}}.',
}

/** Connects the panel in which tools are edited and added. Changes take effect at the agent's next step. */
export function connectToolsPanel(options: ToolsOptions): void {
  connectCallMode(options)
  const { agent, tools, edits } = options
  const form = byId('tool-form', HTMLFormElement)
  const fields = toolFields()
  const statusLine = byId('tool-told', HTMLElement)
  const problem = byId('tool-problem', HTMLElement)
  const report = (text: string, errorText = ''): void => {
    setText(statusLine, text)
    setText(problem, errorText)
  }
  const appTool = (name: string): AnyTool | undefined => tools.find((tool) => tool.name === name)
  const showTool = (name: string): void => {
    const tool = appTool(name)
    const edit = edits.read()[name]
    listTools(fields.list, tools, edits)
    fields.list.value = name
    fields.show(name, edit ?? (tool ? editOf(tool, agent) : NEW_TOOL), tool === undefined)
    fields.showActions({ isEdited: edit !== undefined, isOwn: tool === undefined })
  }
  fields.list.addEventListener('change', () => {
    report('')
    showTool(fields.list.value)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const selectedName = fields.list.value
    try {
      const { name, edit } = fields.read(appTool(selectedName) === undefined)
      register(agent, { name, edit, replaced: selectedName, tool: appTool(name) })
      edits.write(name, edit)
      showTool(name)
      report('Applied. The agent has it from its next step on.')
      options.onEdited()
    } catch (thrown) {
      report('', thrown instanceof Error ? thrown.message : String(thrown))
    }
  })
  byId('tool-undo', HTMLButtonElement).addEventListener('click', () => {
    const name = fields.list.value
    const tool = appTool(name)
    if (tool) agent.registerTool(tool, { replace: true })
    else removers.get(name)?.()
    edits.write(name, undefined)
    showTool(tool ? name : (tools[0]?.name ?? ''))
    report(tool ? 'As the app made it.' : 'Removed.')
    options.onEdited()
  })
  byId('tool-try', HTMLButtonElement).addEventListener('click', () => {
    const { conversationId } = options.chat
    // The chat shows how the run ends, and why if it failed.
    if (conversationId)
      agent
        .conversation(conversationId)
        .send(promptFor(fields.list.value))
        .result.catch(() => {})
  })
  showTool(tools[0]?.name ?? '')
}

/** Removes a visitor's own tool, by name. */
const removers = new Map<string, () => void>()

interface Registration {
  readonly name: string
  readonly edit: ToolEdit
  /** Name of the tool on view, which may be replaced. Empty for a new one. */
  readonly replaced: string
  /** The app's tool that is edited. */
  readonly tool: AnyTool | undefined
}

/** Throws if Offstage takes no such tool, or another tool has the name. */
function register(agent: Agent, { name, edit, replaced, tool }: Registration): void {
  if (tool && replaced !== name)
    throw new OffstageError('duplicate-tool', `The app has a tool ${name}. Choose another name.`)
  const registered = tool ? editTool(tool, edit) : ownTool(name, edit)
  const remove = agent.registerTool(registered, { replace: replaced === name })
  if (!tool) removers.set(name, remove)
}

function editOf({ name, description }: AnyTool, agent: Agent): ToolEdit {
  const inputSchema = agent.inputSchema(name) ?? { type: 'object' }
  return { description, inputSchema, approval: 'default' }
}

function listTools(list: HTMLSelectElement, tools: readonly AnyTool[], edits: StoredEdits): void {
  const edited = edits.read()
  const ownNames = Object.keys(edited).filter((name) => tools.every((tool) => tool.name !== name))
  list.replaceChildren(
    ...tools.map(({ name }) =>
      el('option', { value: name }, name in edited ? `${name} (edited)` : name),
    ),
    ...ownNames.map((name) => el('option', { value: name }, `${name} (yours)`)),
    el('option', { value: '' }, 'A new tool…'),
  )
}

interface ToolFields {
  readonly list: HTMLSelectElement
  show(name: string, edit: ToolEdit, isOwn: boolean): void
  showActions(state: { readonly isEdited: boolean; readonly isOwn: boolean }): void
  /** Throws if the schema isn't JSON. */
  read(isOwn: boolean): { readonly name: string; readonly edit: ToolEdit }
}

function toolFields(): ToolFields {
  const list = byId('tool-list', HTMLSelectElement)
  const name = byId('tool-name', HTMLInputElement)
  const description = byId('tool-description', HTMLTextAreaElement)
  const schema = byId('tool-schema', HTMLTextAreaElement)
  const approval = byId('tool-approval', HTMLSelectElement)
  const answer = byId('tool-answer', HTMLTextAreaElement)
  return {
    list,
    show(toolName, edit, isOwn) {
      for (const id of ['tool-name-field', 'tool-answer-field'])
        byId(id, HTMLElement).hidden = !isOwn
      name.value = toolName || 'weather'
      name.readOnly = toolName !== ''
      name.required = isOwn
      description.value = edit.description
      schema.value = JSON.stringify(edit.inputSchema, null, 2)
      approval.value = edit.approval
      answer.value = edit.answer ?? ''
    },
    showActions({ isEdited, isOwn }) {
      const undo = byId('tool-undo', HTMLButtonElement)
      setText(undo, isOwn ? 'Remove' : 'Reset')
      undo.hidden = !isEdited
      byId('tool-try', HTMLButtonElement).hidden = !isOwn || !isEdited
      setText(byId('tool-apply', HTMLButtonElement), isOwn && !isEdited ? 'Add the tool' : 'Apply')
    },
    read: (isOwn) => ({
      name: isOwn ? name.value.trim() : list.value,
      edit: {
        description: description.value,
        inputSchema: parsedSchema(schema.value),
        approval: approvalIn(approval.value),
        ...(isOwn && { answer: answer.value }),
      },
    }),
  }
}

function parsedSchema(text: string): ToolEdit['inputSchema'] {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw new SyntaxError(`The schema is no JSON. ${reason}`, { cause: thrown })
  }
}

function approvalIn(value: string): ToolEdit['approval'] {
  return value === 'always' || value === 'never' ? value : 'default'
}

function connectCallMode({ callMode, onCallMode }: ToolsOptions): void {
  const form = byId('call-mode', HTMLFormElement)
  const modeButtons = form.elements.namedItem('mode')
  if (modeButtons instanceof RadioNodeList) modeButtons.value = callMode
  form.addEventListener('change', () => onCallMode(callModeIn(new FormData(form).get('mode'))))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    byId('inspector-tab', HTMLButtonElement).click()
  })
}
