// Runs in the page: what page-agent puts between <browser_state> and </browser_state>.
import { PageController } from '@page-agent/page-controller'
import { exposeReader } from '../lib/page-reader.js'

let controller

exposeReader({
  async read() {
    controller ??= new PageController()
    const { header, content, footer } = await controller.getBrowserState()
    return `${header}\n${content}\n${footer}`
  },
  handles: (text) =>
    [...text.matchAll(/^\s*\*?\[(\d+)\]</gm)].map(
      ([, index]) => controller.selectorMap.get(+index).ref,
    ),
})
