SELECT raclette.prune_blobs()
