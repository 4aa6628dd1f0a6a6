// What comes to an agent by other ways than the page: its tools' results, tools of others, memory, skills, files, …
import { createAgent } from '/dist/index.js'
import { connectMcp, useMcp } from '/dist/mcp.js'
import { keywordMemory } from '/dist/memory.js'
import { loadSkill } from '/dist/skills.js'
import { useWebMcp } from '/dist/webmcp.js'

const QUIET = 'All is well.'

/** The app's tool that returns others' words, with the text where the place says. */
export function readTool({ place, text }, read) {
  const tool = read(place === 'a result' ? text : QUIET)
  const does = (execute, annotations = tool.annotations) => ({ ...tool, annotations, execute })
  switch (place) {
    case 'a key of a result':
      return does(() => ({ [text]: 1 }))
    case 'an error of a tool':
      return does(() => {
        throw new Error(text)
      })
    case 'a long result':
      return does(() => `${'Nothing of interest here. '.repeat(200)}${text}`)
    case 'a result of a tool that says nothing':
      return does(() => text, { readOnly: true })
    default:
      return tool
  }
}

/** What the place adds to the agent's options, and to those of the run: its `history`. */
export async function foreignOptions({ place, text, storage, model }) {
  switch (place) {
    case 'a memory': {
      const memory = keywordMemory({ storage: 'memory' })
      await memory.remember(`What to do with others' words: ${text}`, { untrusted: true })
      return { memory }
    }
    case 'a skill':
      return { skills: [await skill('How to reply.', text)] }
    case 'a description of a skill':
      return { skills: [await skill(text, 'Be friendly.')] }
    case 'a file of a skill':
      return { skills: [await skill('How to reply.', 'Read more.md.', { 'more.md': () => text })] }
    case 'a history':
      return {
        history: [
          { role: 'user', content: 'What did the mail say?' },
          { role: 'assistant', content: text },
        ],
      }
    case 'an answer of another agent':
      return { tools: [reader({ text, storage, model })] }
    default:
      return {}
  }
}

const skill = (description, instructions, files) =>
  loadSkill(`---\nname: reply\ndescription: ${JSON.stringify(description)}\n---\n${instructions}`, {
    files,
  })

/** Another agent, which says again what it has read. */
function repeating({ text, storage, model }, annotations) {
  return createAgent({
    model: { ...model, model: 'repeats' },
    storage,
    tools: [
      { name: 'fetch_page', description: 'Fetches a page.', annotations, execute: () => text },
    ],
  })
}

function reader(plan) {
  const agent = repeating(plan, { readOnly: true, untrustedContent: true })
  return agent.asTool({ name: 'ask_reader', description: 'Reads pages.' })
}

/** A file that a stranger made, in which nothing says that words are others'. */
async function importTo(agent, { storage, ...plan }, conversationId) {
  const stranger = repeating(
    { ...plan, storage: { name: `${storage.name}-stranger` } },
    { readOnly: true },
  )
  await stranger.run('What is there?', { conversationId }).result
  const file = await new Response(await stranger.conversations.export(conversationId)).blob()
  await stranger.dispose()
  const { refused } = await agent.conversations.import(file)
  if (refused.length > 0) throw refused[0].error
}

/** What comes to the agent that is there: a file with the conversation, and tools of others. */
export async function foreignTools(agent, plan, conversationId) {
  const { place, text, world, trial, mode } = plan
  if (place === 'an imported conversation') await importTo(agent, plan, conversationId)
  if (place.includes('MCP server')) {
    const server = await connectMcp({ url: `${world}/mcp?trial=${trial}` })
    useMcp(agent, server)
  }
  if (place.includes('WebMCP')) {
    const inDescription = place.startsWith('a description')
    const tool = {
      name: 'look_up',
      description: inDescription ? `Looks things up. ${text}` : 'Looks things up.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
      execute: async () => (inDescription ? QUIET : text),
    }
    const context = {
      registerTool: async () => undefined,
      getTools: async () => [tool],
      executeTool: async () => tool.execute(),
    }
    const link = useWebMcp(agent, { context, ...(mode === 'off' && { needsApproval: false }) })
    await link.ready
  }
}

/** What the person says, with what they attach. */
export function input({ place, text, prompt }) {
  const attached = (name, words) => [
    { type: 'text', text: prompt },
    { type: 'file', mediaType: 'text/plain', filename: name, data: btoa(words) },
  ]
  if (place === 'an attached file') return attached('paper.txt', text)
  if (place === 'a name of an attached file') return attached(`${text}.txt`, QUIET)
  return prompt
}
