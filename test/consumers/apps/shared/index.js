import { createAgent, defineTool } from 'offstage'
import { openShop } from './shop.js'

void openShop({ createAgent, defineTool })
