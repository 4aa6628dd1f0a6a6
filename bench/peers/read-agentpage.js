// Runs in the page: agentpage's snapshot, with the options that its agent gives in each round.
import { generateSnapshot } from 'agentpage'
import { exposeReader } from '../lib/page-reader.js'

const AGENT_OPTIONS = { maxDepth: 12, viewportOnly: false, maxNodes: 500, maxChildren: 30 }
let elements = new Map()

/** Its agent's own store is private; this one's ids are of the same length: a 32-bit hash, base 36. */
const refStore = {
  set(element, path) {
    let hash = 0x811c9dc5
    for (const character of location.href + path)
      hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0
    const id = hash.toString(36)
    elements.set(id, element)
    return id
  },
}

exposeReader({
  async read() {
    elements = new Map()
    return generateSnapshot(document.body, { ...AGENT_OPTIONS, refStore })
  },
  handles: (text) =>
    [...text.matchAll(/ #([0-9a-z]+)$/gm)].map(([, id]) => elements.get(id)).filter(Boolean),
})
