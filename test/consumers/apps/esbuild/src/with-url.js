// As everybody's, where the worker's file can't be found by the script's own address.
import { createAgent, defineTool } from 'offstage'
import { openShop } from './shop.js'

const workerUrl = '/dist/worker.js'
void openShop({
  createAgent: (options) => createAgent({ ...options, workerUrl }),
  defineTool,
})
