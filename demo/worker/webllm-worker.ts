import { serveWebLLM } from 'offstage/webllm/worker'
import { WEB_LLM } from './web-llm.ts'

serveWebLLM({ webllm: () => import(/* @vite-ignore */ WEB_LLM) })
