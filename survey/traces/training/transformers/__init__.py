"""Small transformers that pass messages in tokens, trained from nothing, with credit by run and by message.

Each agent of a team is a transformer of its own. A team first imitates speakers who slip, and then learns from its
rewards: with the same credit for all messages of a run, or with each message compared with others drawn in its place,
played on to the end. All that is generated counts, reruns included.

    python -m survey.traces.training.transformers results.json --setting large --device cuda

needs PyTorch (``pip install 'orchestration-survey[torch]'``). Models know nothing but the three tasks, and nothing
is downloaded.
"""
