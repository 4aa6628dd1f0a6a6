// Runs in the page: Offstage's snapshot, as `read_page` gives it.
import { createPage, snapshot } from '../../src/page-tools/index.ts'
import { lookUpRef } from '../../src/page-tools/refs.ts'
import { exposeReader } from './page-reader.js'

const page = createPage()
let since

exposeReader({
  async read({ maxTokens } = {}) {
    const { id, text } = await snapshot(undefined, { page, ...(maxTokens && { maxTokens }) })
    since = id
    return text
  },
  async again() {
    return (await snapshot(undefined, { page, since })).text
  },
  handles: (text) =>
    [...text.matchAll(/\[ref=(e\d+)\]/g)].map(([, ref]) => lookUpRef(ref)?.element).filter(Boolean),
})
