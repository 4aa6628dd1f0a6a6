import { serveWllama } from 'offstage/wllama/worker'

serveWllama()
