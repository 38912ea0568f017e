#!/usr/bin/env node
/** The program `mess`: a command line for a MESS exchange. */
import { run } from "./lib/main.js";

process.exitCode = await run(process.argv.slice(2));
