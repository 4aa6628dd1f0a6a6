import * as offstage from 'offstage'
import * as action from 'offstage/action'
import * as aiSdk from 'offstage/ai-sdk'
import * as aiSdkModels from 'offstage/ai-sdk/worker'
import * as conversation from 'offstage/conversation'
import * as engines from 'offstage/engines'
import * as histories from 'offstage/histories'
import * as httpStore from 'offstage/http-store'
import * as httpStoreServer from 'offstage/http-store/server'
import * as inline from 'offstage/inline'
import * as mcp from 'offstage/mcp'
import * as memory from 'offstage/memory'
import * as noInline from 'offstage/no-inline'
import * as pageTools from 'offstage/page-tools'
import * as promptApi from 'offstage/prompt-api'
import * as providers from 'offstage/providers'
import * as ajv from 'offstage/ajv'
import * as relay from 'offstage/relay'
import * as skills from 'offstage/skills'
import * as mock from 'offstage/mock'
import * as testing from 'offstage/testing'
import * as toolsFrom from 'offstage/tools-from'
import * as webllm from 'offstage/webllm'
import * as webllmWorker from 'offstage/webllm/worker'
import * as webmcp from 'offstage/webmcp'
import * as wllama from 'offstage/wllama'
import * as wllamaWorker from 'offstage/wllama/worker'
import * as worker from 'offstage/worker'
import 'offstage/worker.js'

/** Each by something that it exports: what can't be resolved has nothing. */
export const entries = [
  offstage.createAgent,
  action.parseAction,
  aiSdk.createChatTransport,
  aiSdkModels.fromLanguageModel,
  conversation.fold,
  engines.workerEngine,
  histories.toOpenAI,
  httpStore.httpStore,
  httpStoreServer.createStoreHandler,
  inline.createInlineWorker,
  mcp.connectMcp,
  memory.keywordMemory,
  noInline.createAgent,
  pageTools.pageTools,
  promptApi.promptApi,
  providers.createProvider,
  ajv.ajvValidator,
  relay.createRelay,
  skills.defineSkill,
  mock.createMock,
  testing.createTestAgent,
  toolsFrom.toolsFrom,
  webllm.webllm,
  webllmWorker.serveWebLLM,
  webmcp.useWebMcp,
  wllama.wllama,
  wllamaWorker.serveWllama,
  worker.startWorker,
] as const
